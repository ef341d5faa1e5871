// Temporary names start with .glovebox-; one can stay behind only when the machine or the sandbox ends within the commit.
#define _GNU_SOURCE
#include "git-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../cleanup.h"
#include "git-config.h"
#include "touch.h"

#define FILE_MAX 65536u
#define POINTER_MAX 4096u

struct content {
  size_t length;
  mode_t mode;
  char bytes[FILE_MAX + 1];
};

// A plain file, whole. ENOENT when there is none.
static int read_file(int directory, const char *name, struct content *content) {
  AUTO_CLOSE const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? ENOENT : GIT_REFUSED;
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return GIT_REFUSED;
  content->length = 0;
  content->mode = status.st_mode & 0666;
  for (;;) {
    const ssize_t got = read(fd, content->bytes + content->length, sizeof content->bytes - content->length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    content->length += (size_t)got;
    if (content->length > FILE_MAX) return GIT_REFUSED;
  }
  content->bytes[content->length] = '\0';
  return memchr(content->bytes, '\0', content->length) == NULL ? 0 : GIT_REFUSED;
}

static bool write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t put = write(fd, bytes, length);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes += put;
    length -= (size_t)put;
  }
  return true;
}

static int write_fresh(int directory, const char *name, const struct content *content, bool replace) {
  uint64_t random;
  char temporary[40];
  if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) return EIO;
  snprintf(temporary, sizeof temporary, ".glovebox-%016llx", (unsigned long long)random);
  AUTO_CLOSE const int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  int error = write_all(fd, content->bytes, content->length) && fchmod(fd, content->mode) == 0 ? 0 : errno;
  if (error == 0 && syscall(SYS_renameat2, directory, temporary, directory, name, replace ? 0 : RENAME_NOREPLACE) != 0) error = errno;
  if (error != 0) unlinkat(directory, temporary, 0);
  return error;
}

static bool directory_in_root(int base, const char *path) {
  const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  AUTO_CLOSE const int fd = (int)syscall(SYS_openat2, base, path, &how, sizeof how);
  char link[40];
  char canonical[PATH_BYTES];
  if (fd < 0) return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, canonical, sizeof canonical);
  if (length <= 0 || length >= (ssize_t)sizeof canonical) return false;
  canonical[length] = '\0';
  return mediation_root_of(canonical) != NULL;
}

// A directory that git makes after the pointer to it: nothing is there yet, and what it lies in is in a write root.
static bool directory_may_come(int base, char *path) {
  struct stat status;
  if (fstatat(base, path, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT) return false;
  char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path || slash[1] == '\0' || strcmp(slash + 1, "..") == 0) return false;
  *slash = '\0';
  return directory_in_root(base, path);
}

static bool reaches_root(const void *context, const char *path) {
  return directory_in_root(*(const int *)context, path);
}

static bool config_may_be(int directory, const struct content *old, const struct content *new) {
  const struct git_config_reach reach = {reaches_root, &directory};
  const struct git_config_text before = {old->bytes, old->length};
  return git_config_admits(before, (struct git_config_text){new->bytes, new->length}, reach);
}

// .git holds "gitdir: DIRECTORY", commondir a directory, gitdir the path of a .git file, whose directory counts.
static bool pointer_may_be(int directory, const char *name, const char *content, size_t length) {
  static const char prefix[] = "gitdir: ";
  char path[POINTER_MAX];
  if (length == 0 || length >= sizeof path) return false;
  memcpy(path, content, length);
  while (length > 0 && path[length - 1] == '\n') length--;
  path[length] = '\0';
  if (length == 0 || strlen(path) != length || strpbrk(path, "\r\n") != NULL) return false;
  if (strcasecmp(name, "commondir") == 0) return directory_in_root(directory, path);
  if (strcasecmp(name, ".git") == 0) {
    if (strncmp(path, prefix, sizeof prefix - 1) != 0) return false;
    char *target = path + sizeof prefix - 1;
    return directory_in_root(directory, target) || directory_may_come(directory, target);
  }
  char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path) return false;
  *slash = '\0';
  return directory_in_root(directory, path);
}

int git_move_config(const struct place *from, const struct place *to, bool replace) {
  struct content old;
  struct content new;
  int error = read_file(from->parent, from->name, &new);
  if (error != 0) return error;
  error = read_file(to->parent, to->name, &old);
  if (error == ENOENT) old.length = 0;
  else if (error != 0) return error;
  if (!config_may_be(to->parent, &old, &new)) return GIT_REFUSED;
  touch_place(from, true);
  touch_place(to, true);
  error = write_fresh(to->parent, to->name, &new, replace);
  if (error == 0) unlinkat(from->parent, from->name, 0);
  return error;
}

int git_write_pointer(const struct place *to, const char *bytes, size_t length, mode_t mode, bool replace) {
  struct content content = {.length = length, .mode = mode & 0666};
  if (length > POINTER_MAX || !pointer_may_be(to->parent, to->name, bytes, length)) return GIT_REFUSED;
  memcpy(content.bytes, bytes, length);
  struct stat status;
  if (fstatat(to->parent, to->name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode)) return GIT_REFUSED;
  touch_place(to, true);
  return write_fresh(to->parent, to->name, &content, replace);
}

int git_move_pointer(const struct place *from, const struct place *to, bool replace) {
  struct content content;
  int error = read_file(from->parent, from->name, &content);
  if (error == 0) touch_place(from, true);
  if (error == 0) error = git_write_pointer(to, content.bytes, content.length, content.mode, replace);
  if (error == 0) unlinkat(from->parent, from->name, 0);
  return error;
}

static int check_config(int directory, const char *name) {
  static struct content none; // as if the file were empty
  struct content content;
  const int error = read_file(directory, name, &content);
  if (error == ENOENT) return 0;
  if (error != 0) return error;
  return config_may_be(directory, &none, &content) ? write_fresh(directory, name, &content, true) : GIT_REFUSED;
}

static int check_pointer(int directory, const char *name) {
  struct content content;
  const int error = read_file(directory, name, &content);
  if (error == ENOENT) return 0;
  if (error != 0) return error;
  return pointer_may_be(directory, name, content.bytes, content.length) ? write_fresh(directory, name, &content, true) : GIT_REFUSED;
}

static bool ends_in_sample(const char *name) {
  const size_t length = strlen(name);
  return length > 7 && strcmp(name + length - 7, ".sample") == 0;
}

static bool is_harmless_in(const char *directory, const char *name) {
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
  if (strcmp(directory, "hooks") == 0) return ends_in_sample(name);
  return strcmp(directory, "info") == 0 && strcasecmp(name, "attributes") != 0;
}

// hooks, info, remotes and branches: absent, or real directories with nothing in them that git would act on.
static int check_part(int parent, const char *name) {
  struct stat status;
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? 0 : GIT_REFUSED;
  if (!S_ISDIR(status.st_mode)) return GIT_REFUSED;
  const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *entries = fd < 0 ? NULL : fdopendir(fd);
  if (entries == NULL) return GIT_REFUSED;
  int result = 0;
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    if (!is_harmless_in(name, entry->d_name)) result = GIT_REFUSED;
  }
  closedir(entries);
  return result;
}

int git_check_directory(int directory) {
  static const char *const parts[] = {"hooks", "info", "remotes", "branches"};
  int error = 0;
  for (size_t index = 0; error == 0 && index < sizeof parts / sizeof *parts; index++) error = check_part(directory, parts[index]);
  if (error == 0) error = check_pointer(directory, "commondir");
  if (error == 0) error = check_pointer(directory, "gitdir");
  if (error == 0) error = check_config(directory, "config");
  return error != 0 ? error : check_config(directory, "config.worktree");
}
