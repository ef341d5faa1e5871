// By descriptor: what is masked is what was looked at, whatever gets its name meanwhile; the notice of that comes next.
#define _GNU_SOURCE
#include "deny.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "denied.h"
#include "mask.h"
#include "places.h"
#include "report.h"
#include "scan.h"

static bool is_gone(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

static void tell(struct match match, const struct stat *status) {
  if (S_ISDIR(status->st_mode)) match.marks |= GM_MARK_DIRECTORY;
  if (!scan.late) report_found(&match);
  else report_late(&match, microseconds() - scan.since);
}

// Masks an open thing. True when it is masked now.
static bool cover(int target, struct match match) {
  struct stat status;
  if (fstat(target, &status) != 0) give_up(GM_TROUBLE_SCAN, errno, match.path, match.length);
  if (mask_is_there(target, &status)) return true;
  // The host looks for the other names: they may lie where no rule makes anybody look here.
  if (!S_ISDIR(status.st_mode) && status.st_nlink > 1) match.marks |= GM_MARK_NAMES;
  denied_remember(&status, match.rule);
  const int error = scan.watcher < 0 ? 0 : mask_put(target, &status);
  if (error == ENOENT) return false; // it lost its name since it was opened
  if (error != 0) give_up(GM_TROUBLE_MASK, error, match.path, match.length);
  scan.masks++;
  tell(match, &status);
  return true;
}

// Where a descriptor lies, as the sandbox names it; 0 when that is too long to be told.
static size_t path_of(int fd, char *path, size_t room) {
  char number[16];
  snprintf(number, sizeof number, "%d", fd);
  const ssize_t length = readlinkat(scan.own_files, number, path, room);
  return length < 1 || (size_t)length == room || path[0] != '/' ? 0 : (size_t)length;
}

void deny_watch_parent(const char *path, size_t length) {
  const char *slash = memrchr(path, '/', length);
  if (scan.watcher < 0 || slash == NULL || slash == path) return;
  scan_parent((struct text){(const uint8_t *)path, (size_t)(slash - path)});
}

static void deny_target(int fd, struct text name, uint16_t rule) {
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  AUTO_CLOSE const int target = (int)syscall(SYS_openat2, fd, name.bytes, &how, sizeof how);
  if (target < 0) return; // it leads nowhere: what appears there has a name of its own
  char path[GM_SIZE_PATH_MAX];
  const size_t length = path_of(target, path, sizeof path);
  if (length == 0 || !is_in_place(path, length)) return; // not the host's, or not shown
  if (is_above_place(path, length) || !denied_add_target(path, length, rule)) give_up(GM_TROUBLE_TARGETS, 0, path, length);
  cover(target, (struct match){rule, GM_MARK_TARGET, path, length});
  deny_watch_parent(path, length);
}

bool deny_name(struct node *directory, int fd, struct text name, uint16_t rule, uint8_t marks) {
  AUTO_CLOSE const int target = openat(fd, (const char *)name.bytes, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (target < 0) {
    if (is_gone(errno)) return false;
    const int error = errno;
    const struct path path = node_path(directory, name);
    give_up(GM_TROUBLE_MASK, error, path.bytes, path.length);
  }
  struct stat status;
  if (fstat(target, &status) == 0 && S_ISLNK(status.st_mode)) deny_target(fd, name, rule);
  const struct path path = node_path(directory, name);
  return cover(target, (struct match){rule, marks, path.bytes, path.length});
}

void deny_place(struct text place, uint16_t rule) {
  AUTO_CLOSE const int target = open((const char *)place.bytes, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (target < 0) return; // optional places may be absent
  cover(target, (struct match){rule, 0, (const char *)place.bytes, place.length});
}

static void unwatch(int watch) {
  if (scan.watcher >= 0) inotify_rm_watch(scan.watcher, watch);
}

void deny_forget(struct node *node) {
  node_remove(node, unwatch);
}
