// One open that writes, creates or truncates, from its path to its descriptor.
#ifndef GLOVEBOX_OPENING_H
#define GLOVEBOX_OPENING_H

#include <sys/stat.h>

#include "answer.h"

struct opening {
  const struct caller *caller;
  uint32_t call; // GB_CALL_*
  int flags;
  mode_t mode;
  struct place place;
  bool exists;
  struct statx seen; // when it exists
  bool exclusive, needs_exclusive; // the lock
  bool is_pointer;                 // to be written by the mediator, after the lock is given back
};

// Anywhere but in a write root it goes on in the kernel. `base` is an O_PATH directory for relative paths.
struct answer open_anywhere(struct opening *opening, int base, const char *path);

#endif
