// Layers in their order. A layer that cannot be raised is reported, and the caller must not execute anything.
#define _GNU_SOURCE
#include "wall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptors.h"
#include "filter.h"
#include "handover.h"
#include "landlock.h"

#define FIRST_FREE 3
#define CAPABILITY_LAST 63

// Moves a descriptor to the first free number, closing whatever has it.
static int keep(int *descriptor, int *first) {
  if (*descriptor < 0) return 0;
  if (*descriptor != *first && dup3(*descriptor, *first, O_CLOEXEC) < 0) return errno;
  *descriptor = (*first)++;
  return 0;
}

// Beside the streams only these two stay, until they have been used.
static int close_descriptors(int *ruleset, int *handover) {
  int first = FIRST_FREE;
  if (*handover == FIRST_FREE && *ruleset >= 0) *handover = fcntl(*handover, F_DUPFD_CLOEXEC, FIRST_FREE + 1);
  int error = keep(ruleset, &first);
  if (error == 0) error = keep(handover, &first);
  if (error != 0) return error;
  return syscall(SYS_close_range, first, DESCRIPTOR_LAST, 0) == 0 ? 0 : errno;
}

int drop_capabilities(void) {
  for (unsigned long capability = 0; capability <= CAPABILITY_LAST; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break; // only who holds CAP_SETPCAP can, and what there is; what follows is what counts
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

static int apply_wanted(const struct message_exec *request, bool is_of_files) {
  int error = 0;
  for (uint32_t index = 0; error == 0 && index < request->rlimit_count; index++) {
    const struct message_rlimit *wanted = &request->rlimits[index];
    if ((wanted->resource == RLIMIT_NOFILE) != is_of_files) continue;
    error = may_be_limited(wanted->resource) ? lower_limit(wanted->resource, wanted->value) : EINVAL;
  }
  return error;
}

static int apply_limits(const struct message_exec *request) {
  const int error = lower_limit(RLIMIT_CORE, 0);
  return error != 0 ? error : apply_wanted(request, false);
}

// Behind the last message with a descriptor. The kernel refuses one to who may have fewer open than his user has on their way in messages, all of his
// programs and sandboxes together (unix(7), ETOOMANYREFS): with the command's own limit, one sandbox could keep all others from starting anything.
static int limit_files(const struct wall *wall, const struct message_exec *request) {
  return setrlimit(RLIMIT_NOFILE, &wall->nofile) == 0 ? apply_wanted(request, true) : errno;
}

static int enter_landlock(int ruleset) {
  const int error = landlock_enter(ruleset);
  close(ruleset);
  return error;
}

// The listener reaches the keeper before the command can make a call that needs an answer.
static struct wall_failure enter_filter(const struct wall *wall, int handover) {
  int listener = -1;
  int error = filter_enter(wall->filter, &listener);
  if (error != 0) return (struct wall_failure){GB_WALL_SECCOMP, (uint32_t)error};
  if (listener >= 0) {
    error = handover_send(handover, listener);
    close(listener);
    close(handover);
  }
  return (struct wall_failure){error == 0 ? 0 : GB_WALL_MEDIATION, (uint32_t)error};
}

struct wall_failure wall_raise(const struct wall *wall, const struct message_exec *request) {
  const uint32_t layers = wall->layers;
  const bool landlock = (layers & GB_LAYER_LANDLOCK) != 0;
  int error = 0;
  int ruleset = landlock ? wall->ruleset : -1;
  int handover = wall->handover;
  if ((layers & GB_LAYER_DESCRIPTORS) != 0 || landlock) error = close_descriptors(&ruleset, &handover);
  if (error != 0) return (struct wall_failure){GB_WALL_DESCRIPTORS, (uint32_t)error};
  if ((layers & GB_LAYER_NO_NEW_PRIVS) != 0) error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
  if (error != 0) return (struct wall_failure){GB_WALL_NO_NEW_PRIVS, (uint32_t)error};
  if ((layers & GB_LAYER_CAPABILITIES) != 0) error = drop_capabilities();
  if (error != 0) return (struct wall_failure){GB_WALL_CAPABILITIES, (uint32_t)error};
  if ((layers & GB_LAYER_RLIMITS) != 0) error = apply_limits(request);
  if (error != 0) return (struct wall_failure){GB_WALL_RLIMITS, (uint32_t)error};
  if (landlock) error = enter_landlock(ruleset);
  if (error != 0) return (struct wall_failure){GB_WALL_LANDLOCK, (uint32_t)error};
  const struct wall_failure failed = (layers & GB_LAYER_SECCOMP) != 0 ? enter_filter(wall, handover) : (struct wall_failure){0, 0};
  if (failed.wall != 0) return failed;
  if ((layers & GB_LAYER_RLIMITS) != 0) error = limit_files(wall, request);
  return error != 0 ? (struct wall_failure){GB_WALL_RLIMITS, (uint32_t)error} : failed;
}
