// The staging directory: a small private file system that only this process and what it executes can see.
#ifndef GLOVEBOX_STAGE_H
#define GLOVEBOX_STAGE_H

#include <stdbool.h>
#include <sys/types.h>

// Each returns 0, or the status of a failure that is already reported.
int stage_open(const char *directory);
// Clones `source` (a directory or a file; mounts below it stay behind), maps its owner to `allocated`, and attaches it as `name`.
int stage_attach(const char *directory, const char *source, const char *name, uid_t allocated, bool read_only);

#endif
