// The files of a directory come before what lies deeper, so that bounds cut the depths first.
#define _GNU_SOURCE
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../cleanup.h"

#define DEPTH_MAX 32u // one descriptor each
#define LOOK_EVERY 64u
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct progress {
  struct tree_walk *walk;
  char path[PATH_MAX];
  size_t length;
  uint64_t until_ms;
  dev_t device;
  bool is_over; // a bound was met
};

// Of our own processor time: a busy machine cuts nothing, and nothing here waits for anybody.
static uint64_t spent_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is_dots(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void miss(struct progress *at) {
  at->walk->is_whole = false;
}

static bool may_go_on(struct progress *at) {
  struct tree_walk *walk = at->walk;
  const bool is_late = at->until_ms != 0 && walk->entries_left % LOOK_EVERY == 0 && spent_ms() > at->until_ms;
  if (!at->is_over && walk->entries_left > 0 && !is_late) {
    walk->entries_left -= 1;
    return true;
  }
  at->is_over = true;
  miss(at);
  return false;
}

// The length before it, or 0 when the path would be too long.
static size_t append(struct progress *at, const char *name) {
  const size_t before = at->length;
  const size_t length = strlen(name);
  if (before + 1 + length >= sizeof at->path) return 0;
  at->path[before] = '/';
  memcpy(at->path + before + 1, name, length + 1);
  at->length = before + 1 + length;
  return before;
}

static void cut(struct progress *at, size_t length) {
  at->length = length;
  at->path[length] = '\0';
}

static bool has_own_walk(const struct progress *at) {
  for (char *const *other = at->walk->others; *other != NULL; other++) {
    if (strcmp(at->path, *other) == 0) return true;
  }
  return false;
}

static bool visit_one(struct progress *at, int directory, const char *name) {
  struct stat found;
  if (fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(found.st_mode)) return true; // gone, or it comes later
  const size_t before = append(at, name);
  if (before == 0) {
    miss(at);
    return true;
  }
  const bool is_good = at->walk->visit(directory, name, at->path, &found, at->walk->about);
  cut(at, before);
  return is_good;
}

static bool visit_files(struct progress *at, DIR *directory) {
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (is_dots(entry->d_name) || entry->d_type == DT_DIR) continue;
    if (!may_go_on(at)) return true;
    if (!visit_one(at, dirfd(directory), entry->d_name)) return false;
  }
  return true;
}

// Takes the descriptor.
static bool walk_directory(struct progress *at, int opened, unsigned depth) {
  DIR *directory = opened < 0 ? NULL : fdopendir(opened);
  if (directory == NULL) {
    miss(at);
    return true;
  }
  bool is_good = visit_files(at, directory);
  rewinddir(directory);
  for (const struct dirent *entry; is_good && !at->is_over && (entry = readdir(directory)) != NULL;) {
    if (is_dots(entry->d_name) || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)) continue;
    if (!may_go_on(at)) break;
    struct stat found;
    if (fstatat(dirfd(directory), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(found.st_mode)) continue;
    if (found.st_dev != at->device) continue; // another file system: it is no place of the sandbox's own
    const size_t before = depth == DEPTH_MAX ? 0 : append(at, entry->d_name);
    if (before == 0) {
      miss(at);
      continue;
    }
    if (!has_own_walk(at)) is_good = walk_directory(at, openat(dirfd(directory), entry->d_name, DIRECTORY), depth + 1);
    cut(at, before);
  }
  closedir(directory);
  return is_good;
}

// The directory of the last part of a path, and that part; -1 when a part is a link, or not there.
static int open_above(const char *path, char *parts, const char **last) {
  if (path[0] != '/' || strlen(path) >= PATH_MAX) return -1;
  strcpy(parts, path + 1);
  int directory = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  char *rest = parts;
  for (char *end; directory >= 0 && (end = strchr(rest, '/')) != NULL; rest = end + 1) {
    *end = '\0';
    const int next = openat(directory, rest, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(directory);
    directory = next;
  }
  *last = rest;
  return directory;
}

bool tree_walk(struct tree_walk *walk, const char *path) {
  struct progress at = {.walk = walk, .until_ms = walk->milliseconds == 0 ? 0 : spent_ms() + walk->milliseconds};
  char parts[PATH_MAX];
  const char *name;
  struct stat found;
  AUTO_CLOSE const int above = open_above(path, parts, &name);
  if (above < 0 || fstatat(above, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return true; // there is nothing
  strcpy(at.path, path);
  at.length = strlen(path);
  at.device = found.st_dev;
  if (!S_ISDIR(found.st_mode)) return walk->visit(above, name, at.path, &found, walk->about);
  return walk_directory(&at, openat(above, name, DIRECTORY), 0);
}
