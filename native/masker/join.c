// Through the user namespace that owns the mount namespace: the sandbox's own user namespace lies below it and owns nothing. Whoever made
// the owner (an ordinary user) or has the capability above it (root) may enter it.
#define _GNU_SOURCE
#include "join.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"

#define CAPABILITY_LAST 63u
// To mount, and to list what the sandbox's user has closed to itself.
#define NEEDED (1u << CAP_SYS_ADMIN | 1u << CAP_DAC_READ_SEARCH)

static int open_mounts(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/mnt", pid);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static bool keep_only_needed(void) {
  for (unsigned long capability = 0; capability <= CAPABILITY_LAST; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno != EINVAL) return false;
    break; // neither this one exists nor any above it
  }
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{NEEDED, NEEDED, 0}, {0, 0, 0}};
  return syscall(SYS_capset, &header, data) == 0;
}

// The owner maps one id only, whatever bubblewrap calls it there.
static bool first_mapped(int own_process, const char *name, uint32_t *id) {
  AUTO_CLOSE const int fd = openat(own_process, name, O_RDONLY | O_CLOEXEC);
  char text[64];
  const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (length <= 0) return false;
  text[length] = '\0';
  return sscanf(text, "%" SCNu32, id) == 1;
}

// A root that came from outside has no name in there: it becomes the sandbox's own user.
static bool become(int own_process) {
  uint32_t uid, gid;
  if (!first_mapped(own_process, "uid_map", &uid) || !first_mapped(own_process, "gid_map", &gid)) return false;
  if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP | SECBIT_NOROOT, 0, 0, 0) != 0) return false;
  return setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
}

int join_sandbox(pid_t pid, int own_process) {
  const int process = (int)syscall(SYS_pidfd_open, pid, 0);
  if (process < 0) return -1;
  AUTO_CLOSE const int mounts = open_mounts(pid);
  AUTO_CLOSE const int owner = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
  if (owner < 0) return -1;
  if (geteuid() == 0 && setgroups(0, NULL) != 0 && errno != EPERM) return -1; // EPERM: root of a user namespace that has none to give
  if (setns(owner, CLONE_NEWUSER) != 0 || setns(mounts, CLONE_NEWNS) != 0) return -1;
  // From here on no mount of the host arrives: it would bring files that no notice told of.
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
  return become(own_process) && keep_only_needed() ? process : -1;
}
