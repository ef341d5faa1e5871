// A file gets a device behind a nodev mount, so that every open of it is refused; a directory gets an empty tmpfs that nobody may enter.
#define _GNU_SOURCE
#include "mask.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../cleanup.h"

#define NULL_DEVICE makedev(1, 3)
#define ATTRIBUTES (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define BY_DESCRIPTOR (MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)

static int null_device = -1; // held by descriptor: whatever its name in the sandbox leads to later

int mask_prepare(void) {
  null_device = open("/dev/null", O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (null_device < 0 || fstat(null_device, &status) != 0) return errno;
  return S_ISCHR(status.st_mode) && status.st_rdev == NULL_DEVICE ? 0 : ENODEV;
}

static bool is_mount_root(int target) {
  struct statx status;
  if (statx(target, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) != 0) return false;
  return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool mask_is_there(int target, const struct stat *status) {
  if (S_ISCHR(status->st_mode)) return status->st_rdev == NULL_DEVICE && is_mount_root(target);
  struct statfs system;
  // The plan's own masks let pass where something below is shown again.
  if (!S_ISDIR(status->st_mode) || ((status->st_mode & 07777) != 0 && (status->st_mode & 07777) != 0111)) return false;
  return fstatfs(target, &system) == 0 && system.f_type == TMPFS_MAGIC && (system.f_flags & ST_RDONLY) != 0 && is_mount_root(target);
}

static int file_mask(void) {
  const int tree = (int)syscall(SYS_open_tree, null_device, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  const struct mount_attr attributes = {.attr_set = ATTRIBUTES};
  if (tree >= 0 && syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0) return tree;
  const int error = errno;
  if (tree >= 0) close(tree);
  errno = error;
  return -1;
}

static bool configure(int context) {
  static const char *const settings[][2] = {{"source", "masked"}, {"mode", "0000"}, {"size", "4096"}, {"nr_inodes", "1"}};
  for (size_t index = 0; index < sizeof settings / sizeof *settings; index++) {
    if (syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, settings[index][0], settings[index][1], 0) != 0) return false;
  }
  return syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0;
}

static int directory_mask(void) {
  AUTO_CLOSE const int context = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
  if (context < 0 || !configure(context)) return -1;
  return (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, ATTRIBUTES);
}

int mask_put(int target, const struct stat *status) {
  AUTO_CLOSE const int mask = S_ISDIR(status->st_mode) ? directory_mask() : file_mask();
  if (mask < 0) return errno == ENOENT ? EIO : errno; // ENOENT is the target's own answer
  return syscall(SYS_move_mount, mask, "", target, "", BY_DESCRIPTOR) == 0 ? 0 : errno;
}
