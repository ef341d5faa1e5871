// A set of inodes that grows, and a short list of paths.
#define _GNU_SOURCE
#include "denied.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct file {
  dev_t device;
  ino_t inode;
  uint16_t rule;
  bool used;
};

static struct file *files;
static size_t room, file_count;
static struct {
  struct path path;
  uint16_t rule;
} targets[GM_SIZE_TARGETS_MAX];
static size_t target_count;

// Its own place, or the free one where it belongs.
static struct file *place_of(struct file *table, size_t size, dev_t device, ino_t inode) {
  size_t at = (size_t)((uint64_t)inode * 11400714819323198485ull >> 20) & (size - 1);
  while (table[at].used && (table[at].device != device || table[at].inode != inode)) at = (at + 1) & (size - 1);
  return &table[at];
}

static void grow(void) {
  const size_t size = room == 0 ? 256 : room * 2;
  struct file *table = calloc(size, sizeof *table);
  if (table == NULL) give_up(GM_TROUBLE_MEMORY, ENOMEM, NULL, 0);
  for (size_t index = 0; index < room; index++) {
    if (files[index].used) *place_of(table, size, files[index].device, files[index].inode) = files[index];
  }
  free(files);
  files = table;
  room = size;
}

void denied_remember(const struct stat *status, uint16_t rule) {
  if (!S_ISREG(status->st_mode)) return;
  if (file_count * 2 >= room) grow();
  struct file *file = place_of(files, room, status->st_dev, status->st_ino);
  if (!file->used) file_count++;
  *file = (struct file){status->st_dev, status->st_ino, rule, true};
}

uint16_t denied_file(const struct stat *status) {
  if (room == 0 || !S_ISREG(status->st_mode)) return NO_RULE;
  const struct file *file = place_of(files, room, status->st_dev, status->st_ino);
  return file->used ? file->rule : NO_RULE;
}

bool denied_add_target(const char *path, size_t length, uint16_t rule) {
  if (denied_target((struct path){(char *)path, length}) != NO_RULE) return true;
  if (target_count == GM_SIZE_TARGETS_MAX) return false;
  char *copy = malloc(length + 1);
  if (copy == NULL) give_up(GM_TROUBLE_MEMORY, ENOMEM, NULL, 0);
  memcpy(copy, path, length);
  copy[length] = '\0';
  targets[target_count].path = (struct path){copy, length};
  targets[target_count++].rule = rule;
  return true;
}

uint16_t denied_target(struct path path) {
  for (size_t index = 0; index < target_count; index++) {
    const struct path known = targets[index].path;
    if (known.length == path.length && memcmp(known.bytes, path.bytes, path.length) == 0) return targets[index].rule;
  }
  return NO_RULE;
}

size_t denied_target_count(void) {
  return target_count;
}

struct path denied_target_at(size_t index) {
  return targets[index].path;
}
