// The guard hides its memory, leaves the caller's keyring behind, and makes room for the descriptors of many commands.
#define _GNU_SOURCE
#include "self.h"

#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptors.h"

static bool raise_descriptor_limit(struct rlimit *before) {
  if (getrlimit(RLIMIT_NOFILE, before) != 0) return false;
  struct rlimit raised = *before;
  raised.rlim_cur = raised.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

bool self_protect(struct guard *guard) {
  const struct rlimit no_core = {0, 0};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (syscall(SYS_close_range, 3, DESCRIPTOR_LAST, CLOSE_RANGE_CLOEXEC) != 0) return false;
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL); // a second measure: commands have no keyctl at all
  return raise_descriptor_limit(&guard->wall.nofile);
}
