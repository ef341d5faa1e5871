// Resolution by openat2. What the path says is read once; from then on only the descriptor and the name count.
#define _GNU_SOURCE
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"

static int open_parent(int base, const char *path, unsigned long long resolve) {
  const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = resolve};
  return (int)syscall(SYS_openat2, base, path, &how, sizeof how);
}

// Cuts `path` into the directory part and the last name. False for a path whose last name is none: "", "/", ".", "..".
static bool split(char *path, const char **directory, struct place *place) {
  size_t length = strlen(path);
  place->slash = length > 1 && path[length - 1] == '/';
  while (length > 1 && path[length - 1] == '/') path[--length] = '\0';
  char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  const size_t name_length = strlen(name);
  if (name_length == 0 || name_length > NAME_MAX || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
  memcpy(place->name, name, name_length + 1);
  if (slash == NULL) {
    *directory = ".";
  } else if (slash == path) {
    *directory = "/";
  } else {
    *slash = '\0';
    *directory = path;
  }
  return true;
}

bool place_refresh(struct place *place) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", place->parent);
  const ssize_t length = readlink(link, place->path, PATH_BYTES);
  if (length <= 0 || length >= (ssize_t)PATH_BYTES) return false;
  place->parent_length = (size_t)length;
  place->path[length] = '\0';
  place->root = mediation_root_of(place->path);
  if (place->root == NULL) return false;
  place->path[length] = '/';
  memcpy(place->path + length + 1, place->name, strlen(place->name) + 1);
  return true;
}

// Climbs to the nearest directory that exists. That its successor was absent is true of the moment in which the path did not resolve, whatever
// another thread has made since; only a link is left to the kernel, since it may lead to what is not the same for the caller.
static bool lacks_directory(int base, char *path, unsigned long long flags) {
  struct place above;
  struct stat status;
  const char *directory;
  while (errno == ENOENT && split(path, &directory, &above)) {
    above.parent = open_parent(base, directory, flags);
    if (above.parent >= 0) {
      const bool is_link = fstatat(above.parent, above.name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
      const bool ours = place_refresh(&above);
      place_close(&above);
      return ours && !is_link;
    }
    if (directory != path) return false; // "." or "/": there is nothing above
  }
  return false;
}

static bool resolve_with(int base, const char *path, unsigned long long flags, struct place *place) {
  char copy[PATH_BYTES];
  const char *directory;
  place->parent = -1;
  place->missing = false;
  const size_t length = strlen(path);
  if (length >= sizeof copy) return false;
  memcpy(copy, path, length + 1);
  if (!split(copy, &directory, place)) return false;
  place->parent = open_parent(base, directory, flags);
  if (place->parent < 0) {
    place->missing = directory == copy && lacks_directory(base, copy, flags);
    return false;
  }
  if (place_refresh(place)) return true;
  place_close(place);
  return false;
}

bool place_resolve_elsewhere(int base, const char *path, struct place *place) {
  char copy[PATH_BYTES];
  char link[40];
  const char *directory;
  place->parent = -1;
  if ((size_t)snprintf(copy, sizeof copy, "%s", path) >= sizeof copy || !split(copy, &directory, place)) return false;
  place->parent = open_parent(base, directory, RESOLVE_NO_MAGICLINKS);
  if (place->parent < 0) return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", place->parent);
  const ssize_t length = readlink(link, copy, sizeof copy - 1);
  copy[length > 0 ? length : 0] = '\0';
  if (copy[0] == '/' && length < (ssize_t)sizeof copy - 1 && mediation_root_of(copy) == NULL) return true;
  place_close(place);
  return false;
}

bool place_resolve(int base, const char *path, struct place *place) {
  return resolve_with(base, path, RESOLVE_NO_MAGICLINKS, place);
}

bool place_resolve_canonical(const char *path, struct place *place) {
  return resolve_with(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS, place);
}

void place_close(struct place *place) {
  close_if_open(&place->parent);
}
