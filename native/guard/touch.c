// Whatever changes a name calls here first. The state was looked up before the log's lock, or is looked up under it: either way the first to touch
// a name has it as it was before any change, since whoever changed it meanwhile has been here before.
#define _GNU_SOURCE
#include "touch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "touch-log.h"

#define WANTED (STATX_BASIC_STATS | STATX_BTIME)
#define DEPTH_MAX 200

static struct touch_log book = {.descriptor = -1};
static uint32_t current;

struct touched {
  int directory;
  const char *name; // in `directory`
  const char *path;
  bool loses;
};

int touch_prepare(int descriptor, uint64_t file_bytes_max, uint64_t kept_bytes_max) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return errno;
  const int flags = fcntl(descriptor, F_GETFL);
  if (!S_ISREG(status.st_mode) || status.st_size != 0 || flags < 0 || (flags & (O_ACCMODE | O_APPEND)) != O_WRONLY) return EBADF;
  struct touch_shared *shared = touch_table_make();
  if (shared == NULL) return errno;
  book = (struct touch_log){descriptor, file_bytes_max, kept_bytes_max, shared};
  return touch_log_header(&book) ? 0 : EIO;
}

int touch_descriptor(void) {
  return book.descriptor;
}

void touch_begin(uint32_t command) {
  current = command;
}

static bool begin(void) {
  return book.descriptor >= 0 && pthread_mutex_lock(&book.shared->lock) == 0;
}

static void end(void) {
  pthread_mutex_unlock(&book.shared->lock);
}

static enum touch_found add_inode(const struct statx *status) {
  const uint64_t key[4] = {(uint64_t)status->stx_dev_major << 32 | status->stx_dev_minor, status->stx_ino, (uint64_t)status->stx_btime.tv_sec,
                           status->stx_btime.tv_nsec};
  return touch_table_add(book.shared, 'i', key, sizeof key);
}

static bool is_new_here(const char *path, size_t length) {
  char key[sizeof current + PATH_BYTES + NAME_MAX + 1];
  memcpy(key, &current, sizeof current);
  memcpy(key + sizeof current, path, length);
  return touch_table_add(book.shared, 'c', key, sizeof current + length) == TOUCH_NEW;
}

static void list(const struct touched *what, const struct statx *status) {
  const size_t length = strlen(what->path);
  const bool here = is_new_here(what->path, length);
  const enum touch_found found = touch_table_add(book.shared, 'p', what->path, length);
  if (found == TOUCH_KNOWN && here) touch_log_again(&book, current, what->path);
  if (found == TOUCH_KNOWN) return;
  if (found == TOUCH_FULL) {
    touch_log_miss(&book);
    return;
  }
  char target[PATH_BYTES];
  ssize_t target_length = 0;
  if (status != NULL && S_ISLNK(status->stx_mode)) target_length = readlinkat(what->directory, what->name, target, sizeof target - 1);
  target[target_length < 0 ? 0 : target_length] = '\0';
  touch_log_path(&book, current, what->path, status, target);
}

// Under the lock.
static void write_down(const struct touched *what, const struct statx *status) {
  list(what, status);
  if (status == NULL || !what->loses || !S_ISREG(status->stx_mode)) return;
  const enum touch_found found = add_inode(status);
  if (found == TOUCH_FULL) touch_log_miss(&book);
  if (found == TOUCH_NEW) touch_log_content(&book, what->directory, what->name, status);
}

static void touch(const struct touched *what) {
  struct statx status;
  const bool exists = statx(what->directory, what->name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, WANTED, &status) == 0;
  write_down(what, exists ? &status : NULL);
}

void touch_place(const struct place *place, bool loses) {
  if (!begin()) return;
  touch(&(struct touched){place->parent, place->name, place->path, loses});
  end();
}

void touch_seen(const struct place *place, const struct statx *seen, bool loses) {
  if (!begin()) return;
  write_down(&(struct touched){place->parent, place->name, place->path, loses}, seen);
  end();
}

void touch_made(const struct statx *made) {
  if (!begin()) return;
  add_inode(made);
  end();
}

// Two trees that change places, or one that moves: each name that either has below, in both.
struct walk {
  char path[2][PATH_BYTES + NAME_MAX + 1];
  size_t root[2]; // lengths of the two names that are renamed
  int parent[2];
  int depth;
};

static bool extend(struct walk *walk, int side, const char *name) {
  const size_t length = strlen(walk->path[side]);
  const size_t name_length = strlen(name);
  if (length + name_length + 2 > sizeof walk->path[side]) return false;
  walk->path[side][length] = '/';
  memcpy(walk->path[side] + length + 1, name, name_length + 1);
  return true;
}

// What lies there on the other side, through no link; usually nothing.
static void touch_other(const struct walk *walk, int side) {
  const char *path = walk->path[side];
  const struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  const char *below = memrchr(path, '/', walk->root[side]);
  AUTO_CLOSE const int node = (int)syscall(SYS_openat2, walk->parent[side], below + 1, &how, sizeof how);
  struct statx status;
  const bool exists = node >= 0 && statx(node, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, WANTED, &status) == 0;
  list(&(struct touched){node, "", path, false}, exists ? &status : NULL);
}

static void walk_below(struct walk *walk, int side, int above, const char *name);

static void walk_entry(struct walk *walk, int side, int directory, const char *name) {
  const size_t lengths[2] = {strlen(walk->path[0]), strlen(walk->path[1])};
  if (extend(walk, 0, name) && extend(walk, 1, name)) {
    touch(&(struct touched){directory, name, walk->path[side], false});
    touch_other(walk, 1 - side);
    walk_below(walk, side, directory, name);
  } else {
    touch_log_miss(&book);
  }
  walk->path[0][lengths[0]] = walk->path[1][lengths[1]] = '\0';
}

static void walk_below(struct walk *walk, int side, int above, const char *name) {
  const int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && (errno == ENOTDIR || errno == ELOOP)) return;
  DIR *entries = fd < 0 || walk->depth == DEPTH_MAX ? NULL : fdopendir(fd);
  if (entries == NULL) {
    if (fd >= 0) close(fd);
    touch_log_miss(&book);
    return;
  }
  walk->depth++;
  for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    const bool is_dot = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (!is_dot) walk_entry(walk, side, fd, entry->d_name);
  }
  walk->depth--;
  closedir(entries);
}

static void touch_below(const struct place *from, const struct place *to, bool exchanges) {
  static struct walk walk; // its user holds the lock
  walk = (struct walk){.root = {strlen(from->path), strlen(to->path)}, .parent = {from->parent, to->parent}};
  memcpy(walk.path[0], from->path, walk.root[0] + 1);
  memcpy(walk.path[1], to->path, walk.root[1] + 1);
  walk_below(&walk, 0, from->parent, from->name);
  if (exchanges) walk_below(&walk, 1, to->parent, to->name);
}

void touch_rename(const struct place *from, const struct statx *seen, const struct place *to, bool exchanges) {
  if (!begin()) return;
  write_down(&(struct touched){from->parent, from->name, from->path, false}, seen);
  touch(&(struct touched){to->parent, to->name, to->path, !exchanges});
  if (S_ISDIR(seen->stx_mode) || exchanges) touch_below(from, to, exchanges);
  end();
}
