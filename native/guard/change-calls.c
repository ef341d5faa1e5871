// What each system call that changes modes, owners, times or attributes asks for.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <utime.h>

#include "mediate-change.h"

#define NUMBER_FCHMODAT2 452 // younger than the oldest headers that we build with
#define HERE AT_FDCWD
#define LINK AT_SYMLINK_NOFOLLOW
#define MODE(value) ((mode_t)((value) & 01777)) // the filter refuses the other two
#define MICROSECONDS 1000000

static struct answer apply(const struct caller *caller, const struct change change) {
  return mediate_change(caller, &change);
}

static struct answer change_mode(const struct caller *caller, int directory, uint64_t path, uint64_t mode, uint64_t flags) {
  if ((flags & ~(uint64_t)(LINK | AT_EMPTY_PATH)) != 0) return answer_error(EINVAL);
  return apply(caller, (struct change){.kind = CHANGE_MODE, .descriptor = directory, .path = path, .mode = MODE(mode), .at_flags = (uint32_t)flags});
}

static struct answer change_owner(const struct caller *caller, int directory, const uint64_t *at, uint64_t flags) {
  if ((flags & ~(uint64_t)(LINK | AT_EMPTY_PATH)) != 0) return answer_error(EINVAL);
  return apply(caller, (struct change){.kind = CHANGE_OWNER,
                                       .descriptor = directory,
                                       .path = at[0],
                                       .owner = (uid_t)at[1],
                                       .group = (gid_t)at[2],
                                       .at_flags = (uint32_t)flags});
}

static struct answer change_times(const struct caller *caller, int directory, uint64_t path, uint64_t times, uint64_t flags) {
  struct change change = {.kind = CHANGE_TIMES, .descriptor = directory, .path = path, .at_flags = (uint32_t)flags, .is_now = times == 0};
  if (times != 0 && !caller_read(caller, times, change.times, sizeof change.times)) return answer_error(EFAULT);
  change.names_descriptor = path == 0 && directory != HERE;
  const uint64_t known = change.names_descriptor ? 0 : (uint64_t)(LINK | AT_EMPTY_PATH);
  if ((flags & ~known) != 0) return answer_error(EINVAL);
  return mediate_change(caller, &change);
}

static struct answer set_attribute(const struct caller *caller, struct change change, const uint64_t *at) {
  change.kind = CHANGE_SET_ATTRIBUTE;
  change.name = at[1];
  change.value = at[2];
  change.size = at[3];
  change.set_flags = (int)at[4];
  return mediate_change(caller, &change);
}

static struct answer remove_attribute(const struct caller *caller, struct change change, const uint64_t *at) {
  change.kind = CHANGE_REMOVE_ATTRIBUTE;
  change.name = at[1];
  return mediate_change(caller, &change);
}

#ifdef SYS_chmod // calls that aarch64 never had
static struct answer change_old_times(const struct caller *caller, int directory, uint64_t path, uint64_t times) {
  struct change change = {.kind = CHANGE_TIMES, .descriptor = directory, .path = path, .is_now = times == 0};
  struct timeval given[2] = {{0}};
  if (times != 0 && !caller_read(caller, times, given, sizeof given)) return answer_error(EFAULT);
  for (int index = 0; index < 2; index++) {
    if (given[index].tv_usec < 0 || given[index].tv_usec >= MICROSECONDS) return answer_error(EINVAL);
    change.times[index] = (struct timespec){given[index].tv_sec, given[index].tv_usec * 1000};
  }
  change.names_descriptor = path == 0 && directory != HERE;
  return mediate_change(caller, &change);
}

static struct answer change_oldest_times(const struct caller *caller, uint64_t path, uint64_t times) {
  struct change change = {.kind = CHANGE_TIMES, .descriptor = HERE, .path = path, .is_now = times == 0};
  struct utimbuf given = {0};
  if (times != 0 && !caller_read(caller, times, &given, sizeof given)) return answer_error(EFAULT);
  change.times[0].tv_sec = given.actime;
  change.times[1].tv_sec = given.modtime;
  return mediate_change(caller, &change);
}

static bool change_by_old_call(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  switch (number) {
    case SYS_chmod:
      *answer = change_mode(caller, HERE, at[0], at[1], 0);
      return true;
    case SYS_chown:
      *answer = change_owner(caller, HERE, at, 0);
      return true;
    case SYS_lchown:
      *answer = change_owner(caller, HERE, at, LINK);
      return true;
    case SYS_utime:
      *answer = change_oldest_times(caller, at[0], at[1]);
      return true;
    case SYS_utimes:
      *answer = change_old_times(caller, HERE, at[0], at[1]);
      return true;
    case SYS_futimesat:
      *answer = change_old_times(caller, (int)at[0], at[1], at[2]);
      return true;
    default:
      return false;
  }
}
#else
static bool change_by_old_call(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  (void)caller, (void)number, (void)at, (void)answer;
  return false;
}
#endif

static bool change_by_descriptor(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  struct change change = {.names_descriptor = true, .descriptor = (int)at[0]};
  switch (number) {
    case SYS_fchmod:
      change.mode = MODE(at[1]);
      *answer = mediate_change(caller, &change);
      return true;
    case SYS_fchown:
      change.kind = CHANGE_OWNER;
      change.owner = (uid_t)at[1];
      change.group = (gid_t)at[2];
      *answer = mediate_change(caller, &change);
      return true;
    case SYS_fsetxattr:
      *answer = set_attribute(caller, change, at);
      return true;
    case SYS_fremovexattr:
      *answer = remove_attribute(caller, change, at);
      return true;
    default:
      return false;
  }
}

bool mediate_change_call(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  const struct change named = {.descriptor = HERE, .path = at[0]};
  const struct change link = {.descriptor = HERE, .path = at[0], .at_flags = LINK};
  switch (number) {
    case SYS_fchmodat:
      *answer = change_mode(caller, (int)at[0], at[1], at[2], 0);
      return true;
    case NUMBER_FCHMODAT2:
      *answer = change_mode(caller, (int)at[0], at[1], at[2], (uint32_t)at[3]);
      return true;
    case SYS_fchownat:
      *answer = change_owner(caller, (int)at[0], at + 1, (uint32_t)at[4]);
      return true;
    case SYS_utimensat:
      *answer = change_times(caller, (int)at[0], at[1], at[2], (uint32_t)at[3]);
      return true;
    case SYS_setxattr:
      *answer = set_attribute(caller, named, at);
      return true;
    case SYS_lsetxattr:
      *answer = set_attribute(caller, link, at);
      return true;
    case SYS_removexattr:
      *answer = remove_attribute(caller, named, at);
      return true;
    case SYS_lremovexattr:
      *answer = remove_attribute(caller, link, at);
      return true;
    default:
      return change_by_old_call(caller, number, at, answer) || change_by_descriptor(caller, number, at, answer);
  }
}
