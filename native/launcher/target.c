// A step at a time, and never through a link. INVARIANT I-04: nothing is made on a file system of the host.
#define _GNU_SOURCE
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"

static int open_below(int directory, const char *path) {
  const struct open_how how = {
      .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

static bool is_ours(const struct stage *stage, int directory) {
  struct stat status;
  if (fstat(directory, &status) != 0) return false;
  for (size_t index = 0; index < stage->made_count; index++) {
    if (stage->made[index] == status.st_dev) return true;
  }
  return false;
}

bool target_give(const struct stage *stage, int directory, const char *name) {
  return !stage->allocates || fchownat(directory, name, stage->uid, stage->gid, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool make(const struct stage *stage, int directory, const char *name, bool is_directory) {
  if (!is_ours(stage, directory)) {
    errno = EXDEV;
    return false;
  }
  if (is_directory) return mkdirat(directory, name, 0755) == 0 && target_give(stage, directory, name);
  AUTO_CLOSE const int file = openat(directory, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0444);
  return file >= 0;
}

static int step(const struct stage *stage, int directory, const char *name, bool is_directory) {
  const int found = open_below(directory, name);
  if (found >= 0 || errno != ENOENT) return found;
  return make(stage, directory, name, is_directory) ? open_below(directory, name) : -1;
}

static int walk(const struct stage *stage, char *rest, bool is_directory) {
  int at = dup(stage->root);
  for (char *name = strsep(&rest, "/"); name != NULL && at >= 0; name = strsep(&rest, "/")) {
    AUTO_CLOSE const int above = at;
    at = step(stage, above, name, rest != NULL || is_directory);
  }
  return at;
}

static int target_parent(const struct stage *stage, const char *destination, const char **name) {
  const char *slash = strrchr(destination, '/');
  *name = slash == NULL ? destination : slash + 1;
  if (slash == NULL) return dup(stage->root);
  AUTO_FREE char *parent = strndup(destination, (size_t)(slash - destination));
  if (parent == NULL) return -1;
  const int whole = open_below(stage->root, parent);
  return whole >= 0 || errno != ENOENT ? whole : walk(stage, parent, true); // nearly always it is there
}

int target_own_parent(const struct stage *stage, const char *destination, const char **name) {
  const int parent = target_parent(stage, destination, name);
  if (parent < 0 || is_ours(stage, parent)) return parent;
  close(parent);
  errno = EXDEV;
  return -1;
}

int target_of(const struct stage *stage, const char *destination, bool is_directory) {
  const char *name;
  AUTO_CLOSE const int parent = target_parent(stage, destination, &name);
  return parent < 0 ? -1 : step(stage, parent, name, is_directory);
}
