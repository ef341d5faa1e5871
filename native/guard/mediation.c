// Kept by the guard and inherited by every keeper. The lock lies in memory that all of them share: a rename by one command excludes the
// creates of every other.
#define _GNU_SOURCE
#include "mediation.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "bound-sockets.h"
#include "shared-lock.h"

static struct write_root roots[GB_SIZE_ROOTS_MAX];
static char names[GB_SIZE_NAMES_MAX][GB_SIZE_NAME_MAX + 1];
static char *paths[GB_SIZE_PATHS_MAX];
static char *private_places[GB_SIZE_ROOTS_MAX];
static size_t root_count, name_count, path_count, private_count;
static pthread_rwlock_t *lock;

// File systems that give one file several names by rules of their own (short names, folded letters): no rule about names holds there.
static int look_at_file_system(const char *path) {
  static const unsigned long types[] = {0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0x4244, 0x482b, 0xff534d42, 0xfe534d42};
  struct statfs status;
  if (statfs(path, &status) != 0) return errno;
  for (size_t index = 0; index < sizeof types / sizeof *types; index++) {
    if (((unsigned long)status.f_type & 0xffffffffu) == types[index]) return EOPNOTSUPP;
  }
  return 0;
}

int mediation_add_root(const char *path) {
  if (root_count == GB_SIZE_ROOTS_MAX) return E2BIG;
  const int error = look_at_file_system(path);
  if (error != 0) return error;
  struct write_root *root = &roots[root_count++];
  root->length = strlen(path);
  memcpy(root->path, path, root->length + 1);
  return 0;
}

int mediation_add_name(const char *name) {
  const size_t length = strlen(name);
  if (name_count == GB_SIZE_NAMES_MAX || length > GB_SIZE_NAME_MAX) return E2BIG;
  memcpy(names[name_count++], name, length + 1);
  return 0;
}

int mediation_add_path(const char *path) {
  if (path_count == GB_SIZE_PATHS_MAX) return E2BIG;
  paths[path_count] = strdup(path);
  if (paths[path_count] == NULL) return errno;
  path_count++;
  return 0;
}

int mediation_add_private(const char *path) {
  if (private_count == GB_SIZE_ROOTS_MAX) return E2BIG;
  private_places[private_count] = strdup(path);
  return private_places[private_count] == NULL ? errno : (private_count++, 0);
}

int mediation_prepare(void) {
  const int error = bound_sockets_prepare();
  if (error != 0) return error;
  lock = mmap(NULL, sizeof *lock, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (lock == MAP_FAILED) return errno;
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  return pthread_rwlock_init(lock, &attributes);
}

const struct write_root *mediation_root_of(const char *path) {
  const struct write_root *deepest = NULL;
  for (size_t index = 0; index < root_count; index++) {
    const struct write_root *root = &roots[index];
    if (deepest != NULL && root->length <= deepest->length) continue;
    if (strncmp(path, root->path, root->length) == 0 && (path[root->length] == '\0' || path[root->length] == '/')) deepest = root;
  }
  return deepest;
}

static bool same(const char *listed, size_t listed_length, const char *name, size_t length) {
  return listed_length == length && strncasecmp(listed, name, length) == 0;
}

bool mediation_lists(const char *above, size_t above_length, const char *name, size_t length) {
  for (size_t index = 0; index < name_count; index++) {
    const char *listed = names[index];
    const char *slash = strchr(listed, '/');
    if (slash == NULL) {
      if (same(listed, strlen(listed), name, length)) return true;
    } else if (same(listed, (size_t)(slash - listed), above, above_length) && same(slash + 1, strlen(slash + 1), name, length)) {
      return true;
    }
  }
  return false;
}

bool mediation_lists_below(const char *name) {
  for (size_t index = 0; index < name_count; index++) {
    const char *slash = strchr(names[index], '/');
    if (slash != NULL && same(names[index], (size_t)(slash - names[index]), name, strlen(name))) return true;
  }
  return false;
}

static bool is_at_or_below(const char *path, const char *above) {
  const size_t length = strlen(above);
  return strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

// As `is_at_or_below` in a directory that takes names for the same that differ in case: somewhere above there may be one.
static bool folds_at_or_below(const char *path, const char *above) {
  const size_t length = strlen(above);
  return strncasecmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

bool mediation_lists_path(const char *path) {
  for (size_t index = 0; index < path_count; index++) {
    if (folds_at_or_below(path, paths[index])) return true;
  }
  return false;
}

bool mediation_lists_path_below(const char *path) {
  const size_t length = strlen(path);
  for (size_t index = 0; index < path_count; index++) {
    if (strlen(paths[index]) > length && folds_at_or_below(paths[index], path)) return true;
  }
  return false;
}

bool mediation_is_private(const char *path) {
  for (size_t index = 0; index < private_count; index++) {
    if (is_at_or_below(path, private_places[index])) return true;
  }
  return false;
}

// Of this keeper's threads alone. The kernel gives the shared locks of a process that ends to nobody: a thread that still served a call of somebody
// killed would leave every other command waiting for ever.
static pthread_rwlock_t in_use = PTHREAD_RWLOCK_INITIALIZER;
static _Thread_local bool holds_exclusively;

void mediation_lock(bool exclusive) {
  pthread_rwlock_rdlock(&in_use);
  if (exclusive) pthread_rwlock_wrlock(lock);
  else pthread_rwlock_rdlock(lock);
  holds_exclusively = exclusive;
  shared_lock_take(exclusive);
}

void mediation_unlock(void) {
  shared_lock_release(holds_exclusively);
  pthread_rwlock_unlock(lock);
  pthread_rwlock_unlock(&in_use);
}

void mediation_end(void) {
  pthread_rwlock_wrlock(&in_use);
}
