// Puts a mask over one thing, by descriptor.
#ifndef GLOVEBOX_MASKER_MASK_H
#define GLOVEBOX_MASKER_MASK_H

#include <stdbool.h>
#include <sys/stat.h>

// What masks are made of. Before the first command, in the sandbox's mount namespace. 0 or errno.
int mask_prepare(void);
bool mask_is_there(int target, const struct stat *status);
// 0 or errno; ENOENT: it has lost its name since.
int mask_put(int target, const struct stat *status);

#endif
