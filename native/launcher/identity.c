// Groups, ids, capabilities, keyring; then the promise to die with the parent, which a change of uid would have undone.
#define _GNU_SOURCE
#include "identity.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failure.h"

#define CAPABILITY_LAST 63

static bool clear_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
  return syscall(SYS_capset, &header, data) == 0;
}

// Asked of the kernel: it knows every process, also one that hides its owner, and need not be read like /proc, a file for each.
int identity_unused(uid_t allocated) {
  errno = 0;
  if (getpriority(PRIO_USER, allocated) == -1 && errno == ESRCH) return 0;
  char number[16];
  snprintf(number, sizeof number, "%u", allocated);
  return failure(STEP_UID, number, EEXIST);
}

int identity_become(uid_t allocated, pid_t parent) {
  for (unsigned long capability = 0; capability <= CAPABILITY_LAST; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno != EINVAL) return failure(STEP_IDENTITY, NULL, errno);
    break; // neither this one exists nor any above it
  }
  if (setgroups(0, NULL) != 0 || setresgid(allocated, allocated, allocated) != 0 || setresuid(allocated, allocated, allocated) != 0) {
    return failure(STEP_IDENTITY, NULL, errno);
  }
  if (!clear_capabilities() || setresuid(0, 0, 0) == 0) return failure(STEP_IDENTITY, NULL, EPERM);
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL); // root's keys stay behind; without key support there are none
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failure(STEP_IDENTITY, NULL, errno);
  if (getppid() != parent) return failure(STEP_PARENT, NULL, ESRCH); // it died before the line above
  return 0;
}
