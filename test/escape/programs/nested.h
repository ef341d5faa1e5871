// Enters a user and mount namespace of one's own, with the caller's ids mapped to themselves so that files stay writable.
#ifndef GLOVEBOX_TEST_NESTED_H
#define GLOVEBOX_TEST_NESTED_H
#include "attack.h"
#include <sched.h>
#include <sys/mount.h>

static inline void enter_with(int namespaces, int is_root) {
  char map[64];
  const unsigned uid = geteuid();
  const unsigned gid = getegid();
  if (unshare(CLONE_NEWUSER | namespaces) != 0) refused("unshare");
  write_file_text("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", is_root ? 0 : uid, uid);
  write_file_text("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", is_root ? 0 : gid, gid);
  write_file_text("/proc/self/gid_map", map);
}

static inline void enter_nested_namespaces(void) {
  enter_with(CLONE_NEWNS, 0);
}

// As uid 0 of it.
static inline void enter_nested_as_root(void) {
  enter_with(0, 1);
}

// Leaves the whole tree that was there, with every mount in it, for an empty one: the old root goes under the new one and is detached.
// What was mounted stays attached to its directories but belongs to no namespace any more, so that nothing counts as a mount point.
static inline void leave_mounts_behind(void) {
  if (mount("none", "/tmp", "tmpfs", 0, NULL) != 0) refused("mount");
  if (chdir("/tmp") != 0) refused("chdir");
  if (syscall(SYS_pivot_root, ".", ".") != 0) refused("pivot_root");
  if (umount2(".", MNT_DETACH) != 0) refused("umount");
}
#endif
