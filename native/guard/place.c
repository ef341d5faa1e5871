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

#define WANTED (STATX_BASIC_STATS | STATX_BTIME)

static int own_descriptors = -1; // /proc/self/fd

bool place_prepare(void) {
  own_descriptors = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return own_descriptors >= 0;
}

ssize_t place_read_link(int descriptor, char *path, size_t room) {
  char name[16];
  snprintf(name, sizeof name, "%d", descriptor);
  return readlinkat(own_descriptors, name, path, room);
}

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
  const ssize_t length = place_read_link(place->parent, place->path, PATH_BYTES);
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
    above.borrowed = false;
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
  place->borrowed = place->missing = false;
  const size_t length = strlen(path);
  if (length >= sizeof copy) return false;
  memcpy(copy, path, length + 1);
  if (!split(copy, &directory, place)) return false;
  place->borrowed = base >= 0 && strcmp(directory, ".") == 0;
  place->parent = place->borrowed ? base : open_parent(base, directory, flags);
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
  const char *directory;
  place->parent = -1;
  place->borrowed = false;
  if ((size_t)snprintf(copy, sizeof copy, "%s", path) >= sizeof copy || !split(copy, &directory, place)) return false;
  place->parent = open_parent(base, directory, RESOLVE_NO_MAGICLINKS);
  if (place->parent < 0) return false;
  const ssize_t length = place_read_link(place->parent, copy, sizeof copy - 1);
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

bool place_resolve_beside(const struct place *beside, const char *other, const char *path, struct place *place) {
  char copies[2][PATH_BYTES];
  const char *directories[2];
  struct place ignored;
  strcpy(copies[0], other); // both were read into as much room
  strcpy(copies[1], path);
  if (!split(copies[0], &directories[0], &ignored) || !split(copies[1], &directories[1], place)) return false;
  if (strcmp(directories[0], directories[1]) != 0) return false;
  place->parent = beside->parent;
  place->borrowed = true;
  place->missing = false;
  place->root = beside->root;
  place->parent_length = beside->parent_length;
  memcpy(place->path, beside->path, beside->parent_length + 1);
  strcpy(place->path + beside->parent_length + 1, place->name);
  return true;
}

void place_close(struct place *place) {
  if (!place->borrowed) close_if_open(&place->parent);
  place->parent = -1;
  place->borrowed = false;
}

bool place_own(struct place *place) {
  if (!place->borrowed) return true;
  const int own = fcntl(place->parent, F_DUPFD_CLOEXEC, 3);
  if (own < 0) return false;
  place->parent = own;
  place->borrowed = false;
  return true;
}

bool place_look(const struct place *place, struct statx *seen) {
  return statx(place->parent, place->name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, WANTED, seen) == 0;
}

bool place_holds(const struct statx *seen, mode_t type) {
  return (seen->stx_mode & S_IFMT) == type;
}
