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

#define LOOKED_AT_MAX 1000000u // entries of one call: a tree may have more than anybody waits for
#define OTHERS_MAX 1000u       // of those that are no regular files
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

static bool collect_one(int directory, const char *name, struct bounds *bounds) {
  struct stat found;
  if (fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return true; // it is gone
  if (!S_ISREG(found.st_mode)) {
    if (bounds->others == 0) return true; // counted
    bounds->others -= 1;
    return collected_entry(name, &found);
  }
  if (bounds->count == 0) return true;
  bounds->count -= 1;
  return collected_entry(name, &found) && send_content(directory, name, &bounds->bytes);
}

// False when there were too many to go on.
static bool look_at_one(struct bounds *bounds) {
  if (bounds->looked_at++ < LOOKED_AT_MAX) return true;
  bounds->is_whole = false;
  return false;
}

int guard_collect(char *const *arguments) {
  struct bounds bounds = {.others = OTHERS_MAX, .is_whole = true};
  if (!parse_number(arguments[0], &bounds.count) || !parse_number(arguments[1], &bounds.bytes) || arguments[2] == NULL) return GB_EXIT_USAGE;
  const int opened = open(arguments[2], DIRECTORY);
  DIR *directory = opened < 0 ? NULL : fdopendir(opened);
  if (directory == NULL) return collected_end(0, false) ? 0 : GB_EXIT_INTERNAL;
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (is_dots(entry->d_name)) continue;
    if (!look_at_one(&bounds)) break;
    bounds.total += 1;
    if (!collect_one(dirfd(directory), entry->d_name, &bounds)) return GB_EXIT_INTERNAL;
  }
  closedir(directory);
  return collected_end(bounds.total, bounds.is_whole) ? 0 : GB_EXIT_INTERNAL;
}
