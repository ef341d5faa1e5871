// Mounts by descriptor: a path is resolved once, without links, and never again.
#define _GNU_SOURCE
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "failure.h"
#include "owner-map.h"

#define STAGE_OPTIONS "mode=0711,size=1m"

int stage_open(const char *directory) {
  if (unshare(CLONE_NEWNS) != 0) return failure(STEP_NAMESPACE, NULL, errno);
  // The host's later mounts still arrive; ours never leave.
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return failure(STEP_NAMESPACE, NULL, errno);
  if (mount("glovebox", directory, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, STAGE_OPTIONS) != 0) return failure(STEP_STAGE, directory, errno);
  return 0;
}

static int open_plain(const char *path) {
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

static int apply_attributes(int tree, const struct stat *status, uid_t allocated, bool read_only) {
  const int owners = owner_map_of(status->st_uid, status->st_gid, allocated);
  if (owners < 0) return errno;
  const struct mount_attr attributes = {
      .attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (read_only ? MOUNT_ATTR_RDONLY : 0u),
      .userns_fd = (unsigned long long)(unsigned)owners,
  };
  return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0 ? 0 : errno;
}

// Some file systems (overlayfs) know no idmapped mounts. What everybody may read needs none, as long as nothing is written: as the owner of
// nothing the sandbox's uid sees less of it, never more.
static int attach_plain(int tree, const struct stat *status, bool read_only) {
  const mode_t open_to_all = S_ISDIR(status->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
  if (!read_only || (status->st_mode & open_to_all) != open_to_all) return EINVAL;
  const struct mount_attr attributes = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY};
  return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0 ? 0 : errno;
}

static int make_target(const char *directory, const char *name, bool is_directory) {
  AUTO_CLOSE const int stage = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (stage < 0) return -1;
  if (is_directory) {
    if (mkdirat(stage, name, 0711) != 0) return -1;
  } else {
    AUTO_CLOSE const int file = openat(stage, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
    if (file < 0) return -1;
  }
  return openat(stage, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int stage_attach(const char *directory, const char *source, const char *name, uid_t allocated, bool read_only) {
  AUTO_CLOSE const int from = open_plain(source);
  struct stat status;
  if (from < 0 || fstat(from, &status) != 0) return failure(STEP_SOURCE, source, errno);
  AUTO_CLOSE const int tree = (int)syscall(SYS_open_tree, from, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (tree < 0) return failure(STEP_SOURCE, source, errno);
  int error = apply_attributes(tree, &status, allocated, read_only);
  if (error == EINVAL) error = attach_plain(tree, &status, read_only);
  if (error != 0) return failure(STEP_IDMAP, source, error);
  AUTO_CLOSE const int target = make_target(directory, name, S_ISDIR(status.st_mode));
  if (target < 0) return failure(STEP_ATTACH, name, errno);
  const unsigned by_descriptor = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  if (syscall(SYS_move_mount, tree, "", target, "", by_descriptor) != 0) return failure(STEP_ATTACH, name, errno);
  return 0;
}
