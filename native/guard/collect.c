// No link is followed and nothing that is no regular file is read: opening is O_NOFOLLOW, and never blocks.
#define _GNU_SOURCE
#include "collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cleanup.h"
#include "../protocol.h"
#include "collected.h"
#include "tree.h"

#define LOOKED_AT_MAX 1000000u // entries of one call: a tree may have more than anybody waits for
#define OTHERS_MAX 1000u       // of those that are no regular files
#define LEFT_ENTRIES_MAX 2000u // looked at in each place, after every command
#define LEFT_MILLISECONDS 50u
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct bounds {
  uint64_t count, bytes, others; // left
  uint64_t total, looked_at;
  bool is_whole;
};

static bool parse_number(const char *text, uint64_t *value) {
  char *end;
  if (text == NULL || *text < '0' || *text > '9') return false;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *end == '\0' && errno == 0;
}

static bool is_dots(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// Its entry has been sent. What is no regular file any more, or may not be read, is told.
static bool send_content(int directory, const char *name, uint64_t *bytes_left) {
  AUTO_CLOSE const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat found;
  if (file < 0 || fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return collected_unread(GB_CONTENT_UNREADABLE);
  const uint64_t length = (uint64_t)found.st_size;
  if (length > *bytes_left) return collected_unread(GB_CONTENT_TOO_LARGE);
  *bytes_left -= length;
  return collected_content(file, length);
}

// Told as `shown`.
static bool collect_found(int directory, const char *name, const char *shown, const struct stat *found, struct bounds *bounds) {
  if (!S_ISREG(found->st_mode)) {
    if (bounds->others == 0) return true; // counted
    bounds->others -= 1;
    return collected_entry(shown, found);
  }
  if (bounds->count == 0) return true;
  bounds->count -= 1;
  return collected_entry(shown, found) && send_content(directory, name, &bounds->bytes);
}

static bool collect_one(int directory, const char *name, struct bounds *bounds) {
  struct stat found;
  if (fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return true; // it is gone
  return collect_found(directory, name, name, &found, bounds);
}

// False when there were too many to go on.
static bool look_at_one(struct bounds *bounds) {
  if (bounds->looked_at++ < LOOKED_AT_MAX) return true;
  bounds->is_whole = false;
  return false;
}

// True without a directory: it is told.
static bool collect_directory(const char *path, struct bounds *bounds) {
  const int opened = open(path, DIRECTORY);
  DIR *directory = opened < 0 ? NULL : fdopendir(opened);
  if (directory == NULL) return collected_end(0, false);
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (is_dots(entry->d_name)) continue;
    if (!look_at_one(bounds)) break;
    bounds->total += 1;
    if (!collect_one(dirfd(directory), entry->d_name, bounds)) return false;
  }
  closedir(directory);
  return collected_end(bounds->total, bounds->is_whole);
}

// By the kernel's coarse clock, which nobody inside can set a file's change to.
static bool is_newer(const struct timespec *time, const struct timespec *other) {
  return time->tv_sec != other->tv_sec ? time->tv_sec > other->tv_sec : time->tv_nsec > other->tv_nsec;
}

// What was there before any command: nothing, where there is no such file.
static struct timespec change_of(const char *marker) {
  struct stat found;
  return lstat(marker, &found) == 0 ? found.st_ctim : (struct timespec){0};
}

struct left {
  struct timespec laid_out, since;
  uint64_t listed; // left
  uint64_t of_command, of_all;
};

static bool visit_left(int directory, const char *name, const char *path, const struct stat *found, void *about) {
  (void)directory;
  (void)name;
  struct left *left = about;
  if (!is_newer(&found->st_ctim, &left->laid_out)) return true;
  left->of_all += 1;
  if (!is_newer(&found->st_ctim, &left->since)) return true;
  left->of_command += 1;
  if (left->listed == 0) return true;
  left->listed -= 1;
  return collected_entry(path, found);
}

// LISTED SINCE MARKER PLACE...: first what the command wrote, at most so many entries, then how much of all commands is there.
static bool collect_left(char *const *arguments) {
  struct left left = {0};
  uint64_t since;
  if (!parse_number(arguments[0], &left.listed) || !parse_number(arguments[1], &since) || arguments[2] == NULL) return false;
  left.since = (struct timespec){.tv_sec = (time_t)(since / 1000), .tv_nsec = (long)(since % 1000) * 1000000};
  left.laid_out = change_of(arguments[2]);
  bool is_whole = true;
  for (char *const *place = arguments + 3; *place != NULL; place++) {
    struct tree_walk walk = {.others = arguments + 3, .entries_left = LEFT_ENTRIES_MAX, .milliseconds = LEFT_MILLISECONDS,
                             .is_whole = true, .visit = visit_left, .about = &left};
    if (!tree_walk(&walk, *place)) return false;
    is_whole = is_whole && walk.is_whole;
  }
  return collected_end(left.of_command, is_whole) && collected_end(left.of_all, is_whole);
}

int guard_collect(char *const *arguments) {
  struct bounds bounds = {.others = OTHERS_MAX, .is_whole = true};
  if (!parse_number(arguments[0], &bounds.count) || !parse_number(arguments[1], &bounds.bytes) || arguments[2] == NULL) return GB_EXIT_USAGE;
  if (!collect_directory(arguments[2], &bounds)) return GB_EXIT_INTERNAL;
  return arguments[3] == NULL || collect_left(arguments + 3) ? 0 : GB_EXIT_INTERNAL;
}

struct rescue {
  struct bounds bounds;
  struct timespec laid_out;
};

static bool visit_rescued(int directory, const char *name, const char *path, const struct stat *found, void *about) {
  struct rescue *rescue = about;
  if (!is_newer(&found->st_ctim, &rescue->laid_out)) return true;
  rescue->bounds.total += 1;
  return collect_found(directory, name, path, found, &rescue->bounds);
}

int guard_rescue(char *const *arguments) {
  struct rescue rescue = {.bounds = {.others = OTHERS_MAX, .is_whole = true}};
  struct bounds *bounds = &rescue.bounds;
  if (!parse_number(arguments[0], &bounds->count) || !parse_number(arguments[1], &bounds->bytes) || arguments[2] == NULL) return GB_EXIT_USAGE;
  rescue.laid_out = change_of(arguments[2]);
  struct tree_walk walk = {.others = arguments + 3, .entries_left = LOOKED_AT_MAX, .is_whole = true, .visit = visit_rescued, .about = &rescue};
  for (char *const *place = arguments + 3; *place != NULL; place++) {
    if (!tree_walk(&walk, *place)) return GB_EXIT_INTERNAL;
  }
  return collected_end(bounds->total, walk.is_whole) ? 0 : GB_EXIT_INTERNAL;
}
