// Reads through /proc and process_vm_readv. A caller that made itself non-dumpable cannot be read, and so its call is refused by Landlock.
#define _GNU_SOURCE
#include "caller.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../cleanup.h"
#include "acquaintance.h"

#define PAGE 4096u
#define SHORT 256u // most paths end before

bool caller_read(const struct caller *caller, uint64_t address, void *into, size_t length) {
  const struct iovec local = {into, length};
  const struct iovec remote = {(void *)(uintptr_t)address, length};
  return process_vm_readv(caller->thread, &local, 1, &remote, 1, 0) == (ssize_t)length;
}

int caller_read_path(const struct caller *caller, uint64_t address, char path[PATH_BYTES]) {
  size_t have = 0;
  while (have < PATH_BYTES) {
    size_t portion = PAGE - (size_t)((address + have) % PAGE); // never across into a page that may be absent
    if (have == 0 && portion > SHORT) portion = SHORT;
    if (portion > PATH_BYTES - have) portion = PATH_BYTES - have;
    if (!caller_read(caller, address + have, path + have, portion)) return EFAULT;
    if (memchr(path + have, '\0', portion) != NULL) return 0;
    have += portion;
  }
  return ENAMETOOLONG;
}

int caller_open_directory(const struct caller *caller, int directory) {
  char name[32] = "cwd";
  if (directory != AT_FDCWD) snprintf(name, sizeof name, "fd/%d", directory);
  return acquaintance_open(caller->thread, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// What follows "/proc/self/", "/proc/thread-self/" or the same with the process's own number; NULL when the path is another.
static const char *below_own_proc(const struct caller *caller, const char *path) {
  static const char *const own[] = {"/proc/self/", "/proc/thread-self/"};
  for (size_t index = 0; index < sizeof own / sizeof *own; index++) {
    if (strncmp(path, own[index], strlen(own[index])) == 0) return path + strlen(own[index]);
  }
  if (strncmp(path, "/proc/", 6) != 0 || !isdigit((unsigned char)path[6])) return NULL;
  char *end;
  const long number = strtol(path + 6, &end, 10);
  return *end == '/' && (number == caller->thread || number == caller_process(caller)) ? end + 1 : NULL;
}

// The rest of a path below the component `name`; NULL when it is another one, or nothing follows.
static const char *after_component(const char *path, const char *name) {
  const size_t length = strlen(name);
  return strncmp(path, name, length) == 0 && path[length] == '/' ? path + length : NULL;
}

// `after` begins with a slash.
static bool start_at(int directory, const char *after, int *base, const char **rest) {
  *base = directory;
  *rest = after + strspn(after, "/");
  if (**rest == '\0') *rest = ".";
  return *base >= 0;
}

static bool roots_differ;

void caller_may_have_root(void) {
  roots_differ = true;
}

bool caller_root_may_differ(void) {
  return roots_differ;
}

static bool has_our_root(const struct caller *caller) {
  char name[64];
  struct stat theirs;
  struct stat ours;
  if (!roots_differ) return true;
  snprintf(name, sizeof name, "/proc/%d/root", caller->thread);
  if (stat(name, &theirs) != 0 || stat("/", &ours) != 0) return false;
  return theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

bool caller_start(const struct caller *caller, int directory, const char *path, int *base, const char **rest) {
  *base = -1;
  *rest = path;
  if (!has_our_root(caller)) return errno = EACCES, false;
  if (path[0] != '/') return (*base = caller_open_directory(caller, directory)) >= 0;
  const char *own = below_own_proc(caller, path);
  if (own == NULL) return true;
  const char *after = after_component(own, "root"); // which is ours
  if (after != NULL) {
    *rest = after;
    return true;
  }
  after = after_component(own, "cwd");
  if (after != NULL) return start_at(caller_open_directory(caller, AT_FDCWD), after, base, rest);
  if (strncmp(own, "fd/", 3) != 0 || !isdigit((unsigned char)own[3])) return true;
  char *end;
  const long number = strtol(own + 3, &end, 10);
  if (*end != '/' || number > INT_MAX) return true;
  return start_at(caller_open_directory(caller, (int)number), end, base, rest);
}

int caller_copy_descriptor(const struct caller *caller, int descriptor) {
  return acquaintance_copy_descriptor(caller->thread, descriptor);
}

static int descriptor_named(const char *path) {
  static const char *const standard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
  for (int number = 0; number < 3; number++) {
    if (strcmp(path, standard[number]) == 0) return number;
  }
  for (size_t index = 0; index < sizeof directories / sizeof *directories; index++) {
    const size_t length = strlen(directories[index]);
    if (strncmp(path, directories[index], length) != 0) continue;
    char *end;
    if (!isdigit((unsigned char)path[length])) return -1;
    const long number = strtol(path + length, &end, 10);
    return *end == '\0' && number <= 0x7fffffff ? (int)number : -1;
  }
  return -1;
}

int caller_open_named_descriptor(const struct caller *caller, const char *path) {
  const int number = descriptor_named(path);
  if (number < 0) return -1;
  char name[32];
  snprintf(name, sizeof name, "fd/%d", number);
  return acquaintance_open(caller->thread, name, O_PATH | O_CLOEXEC);
}

static bool find_number(const char *text, const char *field, int base, long *value) {
  const char *at = strstr(text, field);
  if (at == NULL) return false;
  *value = strtol(at + strlen(field), NULL, base);
  return true;
}

// The fields stand at the beginning; the name before them is escaped by the kernel, so it cannot hold a line of its own.
static bool look(const struct caller *caller, const char *field, int base, long *value) {
  char text[512];
  AUTO_CLOSE const int fd = acquaintance_open(caller->thread, "status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t length = read(fd, text, sizeof text - 1);
  if (length <= 0) return false;
  text[length] = '\0';
  return find_number(text, field, base, value);
}

bool caller_look_up_umask(const struct caller *caller, mode_t *mask) {
  long found;
  if (!look(caller, "\nUmask:\t", 8, &found)) return false;
  *mask = (mode_t)found & 0777;
  return true;
}

pid_t caller_process(const struct caller *caller) {
  long found;
  return look(caller, "\nTgid:\t", 10, &found) ? (pid_t)found : -1;
}

bool caller_waits(const struct caller *caller) {
  return ioctl(caller->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &caller->id) == 0;
}

uint64_t caller_file_size_limit(const struct caller *caller) {
  struct rlimit limit;
  return prlimit(caller->thread, RLIMIT_FSIZE, NULL, &limit) == 0 ? limit.rlim_cur : 0;
}
