// Scope-bound descriptors and memory.
#ifndef GLOVEBOX_CLEANUP_H
#define GLOVEBOX_CLEANUP_H

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_close(const int *fd) {
  const int saved = errno;
  if (*fd >= 0) close(*fd);
  errno = saved;
}

static inline void cleanup_free(void *pointer) {
  free(*(void **)pointer);
}

static inline void close_if_open(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

#define AUTO_CLOSE __attribute__((cleanup(cleanup_close)))
#define AUTO_FREE __attribute__((cleanup(cleanup_free)))

#endif
