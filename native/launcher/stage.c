// Mounts by descriptor: a path is resolved once, without links, and never again.
#define _GNU_SOURCE
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "failure.h"
#include "owner-map.h"
#include "target.h"

#define STAGE_OPTIONS "mode=0711,size=16m"
#define FILES "files" // what it shows of its own

int stage_open(struct stage *stage, const char *directory) {
  struct stat status;
  if (mount("glovebox", directory, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, STAGE_OPTIONS) != 0) return failure(STEP_STAGE, directory, errno);
  stage->path = directory;
  stage->root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (stage->root < 0 || fstat(stage->root, &status) != 0) return failure(STEP_STAGE, directory, errno);
  stage->made[stage->made_count++] = status.st_dev;
  return mkdirat(stage->root, FILES, 0711) == 0 ? 0 : failure(STEP_STAGE, directory, errno);
}

static int open_plain(const char *path) {
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

static bool is_planned(const char *identity, const struct stat *status) {
  char found[48];
  snprintf(found, sizeof found, "%llu:%llu", (unsigned long long)status->st_dev, (unsigned long long)status->st_ino);
  return strcmp(identity, "-") == 0 || strcmp(identity, found) == 0;
}

static int open_source(const struct source *source, struct stat *status, int *descriptor) {
  *descriptor = open_plain(source->path);
  if (*descriptor >= 0 && fstat(*descriptor, status) == 0) {
    return is_planned(source->identity, status) ? 0 : failure(STEP_CHANGED, source->path, ESTALE);
  }
  const bool has_moved = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
  const bool was_planned = strcmp(source->identity, "-") != 0;
  return failure(has_moved && was_planned ? STEP_CHANGED : STEP_SOURCE, source->path, errno);
}

int stage_clone(int directory, const char *name, bool recursive) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (recursive ? AT_RECURSIVE : 0u) | (*name == '\0' ? AT_EMPTY_PATH : 0u);
  return (int)syscall(SYS_open_tree, directory, name, flags);
}

static bool set_attributes(int tree, unsigned long long attributes, bool recursive) {
  const struct mount_attr wanted = {.attr_set = attributes};
  return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0), &wanted, sizeof wanted) == 0;
}

static int map_owner(int tree, const struct stat *status, uid_t allocated, bool read_only) {
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
  return set_attributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY, false) ? 0 : errno;
}

static int move_to(int tree, int target) {
  const unsigned by_descriptor = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  return syscall(SYS_move_mount, tree, "", target, "", by_descriptor) == 0 ? 0 : errno;
}

int stage_attach(const struct stage *stage, int tree, const char *destination, bool is_directory) {
  AUTO_CLOSE const int target = target_of(stage, destination, is_directory);
  if (target < 0) return failure(STEP_ATTACH, destination, errno);
  const int error = move_to(tree, target);
  return error == 0 ? 0 : failure(STEP_ATTACH, destination, error);
}

int stage_bind(const struct stage *stage, const struct source *source, const char *destination, bool read_only) {
  AUTO_CLOSE int from = -1;
  struct stat status;
  const int failed = open_source(source, &status, &from);
  if (failed != 0) return failed;
  AUTO_CLOSE const int tree = stage_clone(from, "", true);
  if (tree < 0) return failure(STEP_SOURCE, source->path, errno);
  const unsigned long long attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (read_only ? MOUNT_ATTR_RDONLY : 0u);
  if (!set_attributes(tree, attributes, true)) return failure(STEP_ATTACH, source->path, errno);
  return stage_attach(stage, tree, destination, S_ISDIR(status.st_mode));
}

int stage_idmap(const struct stage *stage, const struct source *source, const char *destination, bool read_only) {
  AUTO_CLOSE int from = -1;
  struct stat status;
  const int failed = open_source(source, &status, &from);
  if (failed != 0) return failed;
  AUTO_CLOSE const int tree = stage_clone(from, "", false);
  if (tree < 0) return failure(STEP_SOURCE, source->path, errno);
  int error = map_owner(tree, &status, stage->uid, read_only);
  if (error == EINVAL) error = attach_plain(tree, &status, read_only);
  if (error != 0) return failure(STEP_IDMAP, source->path, error);
  return stage_attach(stage, tree, destination, S_ISDIR(status.st_mode));
}

int stage_directory(const struct stage *stage, const char *destination, mode_t mode) {
  const char *name;
  AUTO_CLOSE const int parent = target_own_parent(stage, destination, &name);
  if (parent < 0 || mkdirat(parent, name, mode) != 0 || !target_give(stage, parent, name)) return failure(STEP_ATTACH, destination, errno);
  return 0;
}

int stage_unflag(const struct stage *stage, const char *destination) {
  const struct mount_attr wanted = {.attr_clr = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC};
  AUTO_CLOSE const int tree = stage_clone(stage->root, destination, false);
  if (tree < 0 || syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &wanted, sizeof wanted) != 0) return failure(STEP_ATTACH, destination, errno);
  return stage_attach(stage, tree, destination, true);
}

int stage_link(const struct stage *stage, const char *destination, const char *target) {
  const char *name;
  AUTO_CLOSE const int parent = target_own_parent(stage, destination, &name);
  if (parent < 0 || symlinkat(target, parent, name) != 0 || !target_give(stage, parent, name)) return failure(STEP_ATTACH, destination, errno);
  return 0;
}

static bool write_file(int directory, const char *name, const struct field *content) {
  AUTO_CLOSE const int file = openat(directory, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
  size_t written = 0;
  while (file >= 0 && written < content->length) {
    const ssize_t wrote = write(file, content->text + written, content->length - written);
    if (wrote <= 0) return false;
    written += (size_t)wrote;
  }
  return file >= 0;
}

int stage_file(const struct stage *stage, const char *destination, const struct field *content) {
  const char *name;
  AUTO_CLOSE const int parent = target_own_parent(stage, destination, &name);
  if (parent < 0 || !write_file(parent, name, content) || !target_give(stage, parent, name)) return failure(STEP_ATTACH, destination, errno);
  return 0;
}

static void name_source(struct stage *stage, char *name, size_t size) {
  snprintf(name, size, FILES "/%u", stage->sources++);
}

static int attach_own(const struct stage *stage, const char *name, const char *destination, unsigned long long more, bool is_directory) {
  AUTO_CLOSE const int tree = stage_clone(stage->root, name, false);
  if (tree < 0 || !set_attributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | more, false)) {
    return failure(STEP_ATTACH, destination, errno);
  }
  return stage_attach(stage, tree, destination, is_directory);
}

int stage_text(struct stage *stage, const char *destination, const struct field *content) {
  char name[32];
  name_source(stage, name, sizeof name);
  const int failed = stage_file(stage, name, content);
  return failed != 0 ? failed : attach_own(stage, name, destination, MOUNT_ATTR_RDONLY, false);
}

int stage_mask(struct stage *stage, const char *destination, mode_t mode) {
  char name[32];
  name_source(stage, name, sizeof name);
  const int failed = stage_directory(stage, name, mode);
  return failed != 0 ? failed : attach_own(stage, name, destination, 0, true);
}

int stage_hide(struct stage *stage, const char *place) {
  char name[32];
  name_source(stage, name, sizeof name);
  const int failed = stage_directory(stage, name, 0555);
  if (failed != 0) return failed;
  AUTO_CLOSE const int target = open_plain(place);
  AUTO_CLOSE const int tree = stage_clone(stage->root, name, false);
  if (target < 0) return failure(STEP_SOURCE, place, errno);
  if (tree < 0 || !set_attributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY, false)) return failure(STEP_ATTACH, place, errno);
  const int error = move_to(tree, target);
  return error == 0 ? 0 : failure(STEP_ATTACH, place, error);
}

int stage_share(const struct stage *stage, const char *destination) {
  AUTO_CLOSE const int place = target_of(stage, destination, true);
  const struct mount_attr wanted = {.propagation = MS_SHARED};
  if (place < 0 || syscall(SYS_mount_setattr, place, "", AT_EMPTY_PATH, &wanted, sizeof wanted) != 0) return failure(STEP_ATTACH, destination, errno);
  return 0;
}

// The file system and not its mounts: others have mounts of it already.
int stage_seal(const struct stage *stage) {
  if (stage->root < 0) return failure(STEP_USAGE, NULL, EINVAL);
  AUTO_CLOSE const int context = (int)syscall(SYS_fspick, stage->root, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
  if (context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_SET_FLAG, "ro", NULL, 0) == 0 &&
      syscall(SYS_fsconfig, context, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) == 0) {
    return 0;
  }
  return failure(STEP_STAGE, stage->path, errno);
}
