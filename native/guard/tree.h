// A bounded walk through a tree that others write: by descriptor, without following a link, in one file system.
#ifndef GLOVEBOX_TREE_H
#define GLOVEBOX_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct tree_walk {
  uint64_t entries_left; // looked at, directories too
  char *const *others;   // directories that are passed over below another, ended by NULL: they have walks of their own
  uint64_t milliseconds; // of processor time, for one tree; 0: no end
  bool is_whole;         // stays true until something could not be looked at
  // What lies there and is no directory. `path`: absolute, ended by NUL. False ends the walk, which then fails.
  bool (*visit)(int directory, const char *name, const char *path, const struct stat *found, void *about);
  void *about;
};

// `path` is absolute; no part of it may be a link. What is no directory is visited itself. False when a visit was.
bool tree_walk(struct tree_walk *walk, const char *path);

#endif
