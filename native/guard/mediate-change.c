// Performed, never continued: a path and a descriptor's number may mean something else by the time the kernel looks. What is judged is a name in
// a directory that is held, or where the thing lies that a descriptor of our own holds, and that is changed.
#define _GNU_SOURCE
#include "mediate-change.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../cleanup.h"
#include "mediator.h"
#include "own-process.h"
#include "read-rules.h"
#include "touch.h"

#define NUMBER_FCHMODAT2 452 // younger than the oldest headers that we build with
#define MEMORY "/memfd:"
#define SECURITY "security."

static struct answer refuse(const char *path, uint32_t rule, int error) {
  mediator_report(path, GB_CALL_ATTRIBUTES, rule, (uint32_t)error);
  return answer_error(error);
}

// What has no name in any directory belongs to the sandbox's processes alone.
static bool has_no_place(int node, const char *path) {
  struct stat status;
  if (path[0] != '/') return path[0] != '(';
  return strncmp(path, MEMORY, strlen(MEMORY)) == 0 && fstat(node, &status) == 0 && status.st_nlink == 0;
}

// Without it the mounts alone hold what lies outside the write roots, and give the kernel's own answer.
static bool judges_everywhere(void) {
  return read_rules_are_strict() || caller_root_may_differ();
}

// What is changed: what a descriptor of ours is of, or a name in a directory.
struct target {
  int descriptor;
  const char *name; // "" for the descriptor itself
  bool by_call;     // the kernel's own rules about descriptors hold for it
};

static bool may_change(int node, char *path, struct answer *answer) {
  if (has_no_place(node, path)) return true;
  if (mediation_root_of(path) == NULL) {
    if (!judges_everywhere() || mediation_is_private(path)) return true;
    *answer = refuse(path, GB_RULE_OUTSIDE, EROFS);
    return false;
  }
  if (mediation_lists_path(path)) *answer = refuse(path, GB_RULE_LISTED_PATH, EROFS);
  else return may_be_read_at(node, path, answer);
  return false;
}

static int find_path(const struct caller *caller, const struct change *change, const char *given) {
  char path[PATH_BYTES];
  const bool follows = (change->at_flags & AT_SYMLINK_NOFOLLOW) == 0;
  const int own = follows ? open_own_link(caller, given) : -1;
  if (own >= 0) return own;
  if (!name_own_process(caller, given, path)) return errno = ENAMETOOLONG, -1;
  const char *rest;
  AUTO_CLOSE int base = -1;
  if (!caller_start(caller, change->descriptor, path, &base, &rest)) {
    if (errno == ENOENT) errno = EBADF;
    return -1;
  }
  const struct open_how how = {.flags = (unsigned)(O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW)), .resolve = RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, base, rest, &how, sizeof how);
}

// A descriptor of what the call means, or -1 and an errno.
static int find(const struct caller *caller, const struct change *change, const char *path) {
  if (change->names_descriptor) return caller_copy_descriptor(caller, change->descriptor);
  if (path[0] != '\0') return find_path(caller, change, path);
  if ((change->at_flags & AT_EMPTY_PATH) == 0) return errno = ENOENT, -1;
  if (change->descriptor == AT_FDCWD) return caller_open_directory(caller, AT_FDCWD);
  return caller_copy_descriptor(caller, change->descriptor);
}

struct attribute {
  char name[XATTR_NAME_MAX + 2];
  void *value;
};

static int read_attribute(const struct caller *caller, const struct change *change, struct attribute *attribute) {
  if (change->kind == CHANGE_SET_ATTRIBUTE && (change->set_flags & ~(XATTR_CREATE | XATTR_REPLACE)) != 0) return EINVAL;
  for (size_t at = 0;; at++) {
    if (at == sizeof attribute->name) return ERANGE;
    if (!caller_read(caller, change->name + at, &attribute->name[at], 1)) return EFAULT;
    if (attribute->name[at] == '\0') break;
  }
  if (strncmp(attribute->name, SECURITY, strlen(SECURITY)) == 0) return EPERM; // as for whoever has no capability, which is everybody but a root of a namespace of his own
  if (change->size > XATTR_SIZE_MAX) return E2BIG;
  if (change->size == 0) return 0;
  attribute->value = malloc(change->size);
  if (attribute->value == NULL) return ENOMEM;
  return caller_read(caller, change->value, attribute->value, change->size) ? 0 : EFAULT;
}

static long change_attribute(const struct change *change, const struct target *target, const struct attribute *attribute) {
  char path[40];
  const int node = target->descriptor;
  snprintf(path, sizeof path, "/proc/self/fd/%d", node);
  if (change->kind == CHANGE_REMOVE_ATTRIBUTE) return target->by_call ? fremovexattr(node, attribute->name) : removexattr(path, attribute->name);
  if (target->by_call) return fsetxattr(node, attribute->name, attribute->value, change->size, change->set_flags);
  return setxattr(path, attribute->name, attribute->value, change->size, change->set_flags);
}

static long perform(const struct change *change, const struct target *target, const struct attribute *attribute) {
  const struct timespec *times = change->is_now ? NULL : change->times;
  const int node = target->descriptor;
  const int flags = target->name[0] == '\0' ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW;
  switch (change->kind) {
    case CHANGE_MODE:
      if (target->by_call) return fchmod(node, change->mode);
      return syscall(NUMBER_FCHMODAT2, node, target->name, change->mode, flags);
    case CHANGE_OWNER:
      if (target->by_call) return fchown(node, change->owner, change->group);
      return fchownat(node, target->name, change->owner, change->group, flags);
    case CHANGE_TIMES:
      return syscall(SYS_utimensat, node, target->by_call ? NULL : target->name, times, target->by_call ? 0 : flags);
    default:
      return change_attribute(change, target, attribute);
  }
}

// A hook that somebody switched off by its mode stays off.
static bool may_become(const struct place *place, const struct statx *now, mode_t mode, struct answer *answer) {
  const enum place_kind kind = place_judge(place).kind;
  const bool adds_execution = place_holds(now, S_IFREG) && (mode & ~now->stx_mode & 0111) != 0;
  if ((kind != PLACE_GIT_HOOK && kind != PLACE_LISTED) || !adds_execution) return true;
  *answer = answer_judgement(place, GB_CALL_ATTRIBUTES, kind);
  return false;
}

static bool is_same(const struct statx *one, const struct statx *other) {
  return one->stx_ino == other->stx_ino && one->stx_dev_major == other->stx_dev_major && one->stx_dev_minor == other->stx_dev_minor;
}

// What changes is written down first, by the name that it has now.
static bool may_change_mode(int node, const char *path, mode_t mode, struct answer *answer) {
  struct place place;
  struct statx meant, found;
  if (!place_resolve_canonical(path, &place)) return true;
  *answer = answer_error(EACCES);
  const bool may = statx(node, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &meant) == 0 && may_become(&place, &meant, mode, answer);
  if (may && place_look(&place, &found) && is_same(&meant, &found)) touch_seen(&place, &found, false);
  place_close(&place);
  return may;
}

static struct answer change_node(const struct caller *caller, const struct change *change, const struct target *target, const struct attribute *attribute) {
  char path[PATH_BYTES];
  struct answer answer;
  const ssize_t length = place_read_link(target->descriptor, path, sizeof path);
  if (length <= 0 || length >= (ssize_t)sizeof path) return answer_error(EACCES); // too long to be judged
  path[length] = '\0';
  if (!may_change(target->descriptor, path, &answer)) return answer;
  if (!caller_waits(caller)) return answer_error(EINTR);
  if (change->kind == CHANGE_MODE && !may_change_mode(target->descriptor, path, change->mode, &answer)) return answer;
  return answer_result(perform(change, target, attribute));
}

// Under the lock of names, so that what is changed is what was looked at, or what a caller that shares the lock has put there, which is as free to change.
static struct answer change_place(const struct caller *caller, const struct change *change, const struct place *place, const struct statx *seen) {
  struct answer answer;
  if (mediation_lists_path(place->path)) return refuse(place->path, GB_RULE_LISTED_PATH, EROFS);
  if (place_is_denied(place)) return answer_refusal(place, GB_CALL_OPEN, GB_RULE_DENIED_READ);
  if (!caller_waits(caller)) return answer_error(EINTR);
  if (change->kind == CHANGE_MODE) {
    if (!may_become(place, seen, change->mode, &answer)) return answer;
    touch_seen(place, seen, false);
  }
  return answer_result(perform(change, &(struct target){place->parent, place->name, false}, NULL));
}

// The usual case: a name in a write root that is no link. False: another one.
static bool change_named(const struct caller *caller, const struct change *change, const char *path, struct answer *answer) {
  struct place place;
  struct statx seen;
  const char *rest;
  AUTO_CLOSE int base = -1;
  if (change->kind > CHANGE_TIMES || path[0] == '\0' || !caller_start(caller, change->descriptor, path, &base, &rest)) return false;
  mediation_lock(false);
  const bool is_usual = place_resolve(base, rest, &place) && !place.slash && place_look(&place, &seen) && !place_holds(&seen, S_IFLNK);
  if (is_usual) *answer = change_place(caller, change, &place, &seen);
  mediation_unlock();
  place_close(&place);
  return is_usual;
}

static struct answer change_found(const struct caller *caller, const struct change *change, const char *path) {
  struct attribute attribute = {.value = NULL};
  AUTO_FREE void *value = NULL;
  if (change->kind >= CHANGE_SET_ATTRIBUTE) {
    const int error = read_attribute(caller, change, &attribute);
    value = attribute.value;
    if (error != 0) return answer_error(error);
  }
  AUTO_CLOSE const int node = find(caller, change, path);
  if (node < 0) return answer_error(errno);
  mediation_lock(false);
  const struct answer answer = change_node(caller, change, &(struct target){node, "", change->names_descriptor}, &attribute);
  mediation_unlock();
  return answer;
}

struct answer mediate_change(const struct caller *caller, const struct change *change) {
  char path[PATH_BYTES] = "";
  struct answer answer;
  const int error = change->names_descriptor ? 0 : caller_read_path(caller, change->path, path);
  if (error != 0) return answer_error(error);
  if (!change->names_descriptor && change_named(caller, change, path, &answer)) return answer;
  return change_found(caller, change, path);
}
