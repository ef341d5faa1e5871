// Layers in their order. A layer that cannot be raised is reported, and the caller must not execute anything.
#define _GNU_SOURCE
#include "wall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter.h"
#include "landlock.h"

#define FIRST_FREE 3
#define CAPABILITY_LAST 63

// The ruleset moves to descriptor 3, the only one left beside the streams; landlock_enter's caller closes it.
static int close_descriptors(int ruleset) {
  int first = FIRST_FREE;
  if (ruleset >= 0) {
    if (ruleset != FIRST_FREE && dup3(ruleset, FIRST_FREE, O_CLOEXEC) < 0) return errno;
    first++;
  }
  return syscall(SYS_close_range, first, ~0u, 0) == 0 ? 0 : errno;
}

int drop_capabilities(void) {
  for (unsigned long capability = 0; capability <= CAPABILITY_LAST; capability++) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0); // only who holds CAP_SETPCAP can; what follows is what counts
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
  if (syscall(SYS_capset, &header, data) != 0) return errno;
  if (syscall(SYS_capget, &header, data) != 0) return errno;
  const uint32_t left = data[0].effective | data[0].permitted | data[0].inheritable | data[1].effective | data[1].permitted | data[1].inheritable;
  return left == 0 ? 0 : EPERM;
}

static bool may_be_limited(uint32_t resource) {
  return resource < RLIM_NLIMITS && resource != RLIMIT_CORE;
}

// A limit never rises: what is lower already stays.
static int lower_limit(uint32_t resource, uint64_t value) {
  struct rlimit limit;
  const __rlimit_resource_t which = (__rlimit_resource_t)resource;
  if (getrlimit(which, &limit) != 0) return errno;
  if (value < limit.rlim_max) limit.rlim_max = value;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(which, &limit) == 0 ? 0 : errno;
}

static int apply_limits(const struct wall *wall, const struct message_exec *request) {
  if (setrlimit(RLIMIT_NOFILE, &wall->nofile) != 0) return errno;
  int error = lower_limit(RLIMIT_CORE, 0);
  for (uint32_t index = 0; error == 0 && index < request->rlimit_count; index++) {
    const struct message_rlimit *wanted = &request->rlimits[index];
    error = may_be_limited(wanted->resource) ? lower_limit(wanted->resource, wanted->value) : EINVAL;
  }
  return error;
}

static int enter_landlock(void) {
  const int error = landlock_enter(FIRST_FREE);
  close(FIRST_FREE);
  return error;
}

struct wall_failure wall_raise(const struct wall *wall, const struct message_exec *request) {
  const uint32_t layers = wall->layers;
  const bool landlock = (layers & GB_LAYER_LANDLOCK) != 0;
  int error = 0;
  if ((layers & GB_LAYER_DESCRIPTORS) != 0 || landlock) error = close_descriptors(landlock ? wall->ruleset : -1);
  if (error != 0) return (struct wall_failure){GB_WALL_DESCRIPTORS, (uint32_t)error};
  if ((layers & GB_LAYER_NO_NEW_PRIVS) != 0) error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
  if (error != 0) return (struct wall_failure){GB_WALL_NO_NEW_PRIVS, (uint32_t)error};
  if ((layers & GB_LAYER_CAPABILITIES) != 0) error = drop_capabilities();
  if (error != 0) return (struct wall_failure){GB_WALL_CAPABILITIES, (uint32_t)error};
  if ((layers & GB_LAYER_RLIMITS) != 0) error = apply_limits(wall, request);
  if (error != 0) return (struct wall_failure){GB_WALL_RLIMITS, (uint32_t)error};
  if (landlock) error = enter_landlock();
  if (error != 0) return (struct wall_failure){GB_WALL_LANDLOCK, (uint32_t)error};
  if ((layers & GB_LAYER_SECCOMP) != 0) error = filter_enter(wall->filter);
  return (struct wall_failure){error == 0 ? 0 : GB_WALL_SECCOMP, (uint32_t)error};
}
