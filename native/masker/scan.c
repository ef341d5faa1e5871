// Never follows a link, opens nothing but directories, and keeps no descriptor: a tree may be large, a fifo may block.
#define _GNU_SOURCE
#include "scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../cleanup.h"
#include "deny.h"
#include "denied.h"
#include "file-system.h"
#include "places.h"
#include "report.h"

#define NOTICES (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR | IN_DONT_FOLLOW)
#define LIST_BYTES 32768

struct entry { // linux_dirent64
  uint64_t inode;
  int64_t next;
  uint16_t length;
  uint8_t type;
  char name[];
};

struct scan scan = {.watcher = -1, .own_files = -1};

static struct {
  struct node **at;
  size_t count, room;
} waiting; // directories that were found and not yet looked at

uint64_t microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

_Noreturn static void give_up_at(unsigned kind, int error, const struct node *node) {
  const struct path path = node_path(node, (struct text){NULL, 0});
  give_up(kind, error, path.bytes, path.length);
}

static void push(struct node *node) {
  if (waiting.count == waiting.room) {
    waiting.room = waiting.room == 0 ? 1024 : waiting.room * 2;
    waiting.at = realloc(waiting.at, waiting.room * sizeof(struct node *));
    if (waiting.at == NULL) give_up(GM_TROUBLE_MEMORY, ENOMEM, NULL, 0);
  }
  waiting.at[waiting.count++] = node;
}

static void watch(struct node *node, int fd) {
  if (scan.watcher < 0) return;
  if (node_count > GM_SIZE_WATCHES_MAX) give_up_at(GM_TROUBLE_WATCHES, ENOSPC, node);
  // No path reaches a descriptor here: the sandbox's /proc knows nothing of this process.
  const int number = fchdir(fd) == 0 ? inotify_add_watch(scan.watcher, ".", NOTICES) : -1;
  if (number < 0) give_up_at(errno == ENOSPC ? GM_TROUBLE_WATCHES : GM_TROUBLE_SCAN, errno, node);
  node_set_watch(node, number);
}

static bool is_directory(int fd, const struct entry *entry) {
  if (entry->type != DT_UNKNOWN) return entry->type == DT_DIR;
  struct stat status;
  return fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

static uint16_t rule_of_second_name(int fd, struct text name) {
  struct stat status;
  if (fstatat(fd, (const char *)name.bytes, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_nlink < 2) return NO_RULE;
  return denied_file(&status);
}

// True when the name is denied, so that nothing below it needs to be looked at.
static bool judge(struct node *directory, int fd, struct text name, const struct states **states) {
  uint16_t rule;
  *states = rules_step(directory->states, name, directory->folds, &rule);
  const bool is_glob = rule != NO_RULE && rules[rule].kind == GM_KIND_GLOB;
  if (rule != NO_RULE && !(is_glob && is_exempt(node_path(directory, name)))) return deny_name(directory, fd, name, rule, 0);
  if (denied_target_count() > 0) {
    rule = denied_target(node_path(directory, name));
    if (rule != NO_RULE) return deny_name(directory, fd, name, rule, GM_MARK_TARGET);
  }
  return false;
}

static void look_at_entry(struct node *node, int fd, const struct entry *entry) {
  const struct text name = {(const uint8_t *)entry->name, strlen(entry->name)};
  const struct states *states;
  if (judge(node, fd, name, &states)) return;
  if (is_directory(fd, entry)) {
    if (states->alive) push(node_child(node, name, states));
  } else if (scan.late) {
    const uint16_t rule = rule_of_second_name(fd, name);
    if (rule != NO_RULE) deny_name(node, fd, name, rule, GM_MARK_LINKED);
  }
}

static bool is_dot(const char *name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static void list(struct node *node, int fd) {
  static _Alignas(struct entry) char bytes[LIST_BYTES];
  for (;;) {
    const long have = syscall(SYS_getdents64, fd, bytes, sizeof bytes);
    if (have < 0 && errno != ENOENT) give_up_at(GM_TROUBLE_SCAN, errno, node); // ENOENT: removed meanwhile
    if (have <= 0) return;
    for (long at = 0; at < have;) {
      const struct entry *entry = (const struct entry *)(void *)(bytes + at);
      at += entry->length;
      if (!is_dot(entry->name)) look_at_entry(node, fd, entry);
    }
  }
}

// What cannot be listed can still be passed by whoever knows a name in it, unless it cannot be passed either.
static void judge_closed(struct node *node, int error) {
  const struct path path = node_path(node, (struct text){NULL, 0});
  if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE) return; // gone, or a link now: its own notice follows
  if (error == EACCES && faccessat(AT_FDCWD, path.bytes, X_OK, AT_EACCESS) != 0 && errno == EACCES) return;
  give_up_at(error == EACCES ? GM_TROUBLE_CLOSED : GM_TROUBLE_SCAN, error, node);
}

static void look_into(struct node *node) {
  AUTO_CLOSE const int fd = node_open(node);
  if (fd < 0) {
    judge_closed(node, errno);
    return;
  }
  const enum file_system kind = file_system_of(fd);
  if (kind == FILE_SYSTEM_UNTOLD && !scan.takes_untold) give_up_at(GM_TROUBLE_UNWATCHABLE, 0, node);
  node->folds = kind == FILE_SYSTEM_FOLDS;
  watch(node, fd);
  list(node, fd);
}

// Watches before it lists: what comes in between is told by the watch.
static void drain(void) {
  while (waiting.count > 0) look_into(waiting.at[--waiting.count]);
}

void scan_parent(struct text directory) {
  struct node *known = node_find(NULL, directory);
  if (known == NULL) push(node_root(directory, rules_nowhere()));
}

void scan_name(struct node *directory, int fd, struct text name) {
  struct node *known = node_find(directory, name);
  if (known != NULL) deny_forget(known); // another directory has the name now
  const struct states *states;
  struct stat status;
  if (!judge(directory, fd, name, &states) && fstatat(fd, (const char *)name.bytes, &status, AT_SYMLINK_NOFOLLOW) == 0) {
    const uint16_t rule = status.st_nlink < 2 ? NO_RULE : denied_file(&status);
    if (rule != NO_RULE) deny_name(directory, fd, name, rule, GM_MARK_LINKED);
    else if (S_ISDIR(status.st_mode) && states->alive) push(node_child(directory, name, states));
  }
  drain();
}

static void scan_place(struct text place) {
  const struct states *states = rules_start();
  for (size_t at = 1; at < place.length;) {
    size_t end = at;
    while (end < place.length && place.bytes[end] != '/') end++;
    uint16_t rule;
    states = rules_step(states, (struct text){place.bytes + at, end - at}, false, &rule);
    const bool is_glob = rule != NO_RULE && rules[rule].kind == GM_KIND_GLOB;
    if (is_glob && !is_exempt((struct path){(char *)place.bytes, end})) {
      deny_place(place, rule);
      return;
    }
    at = end + 1;
  }
  if (!states->alive) return;
  struct node *node = node_root(place, states);
  node->states = states; // it may have been known as the place of a link's target only
  push(node);
  drain();
}

void scan_everything(void) {
  for (size_t index = 0; index < place_count(); index++) scan_place(place_at(index));
  for (size_t index = 0; index < denied_target_count(); index++) {
    const struct path path = denied_target_at(index);
    deny_watch_parent(path.bytes, path.length);
  }
  drain();
}
