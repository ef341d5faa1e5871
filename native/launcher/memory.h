// What a sandbox has of its own: file systems in memory, and device files.
#ifndef GLOVEBOX_MEMORY_H
#define GLOVEBOX_MEMORY_H

#include "stage.h"

// Each returns 0, or the status of a failure that is already reported.

// A file system of so many bytes, whose root has that mode (octal) and is the sandbox's.
int memory_scratch(struct stage *stage, const char *destination, const char *mode, const char *bytes);

// The device files that every program may count on, terminals that only the sandbox has, and the links that lead to its own streams.
int memory_devices(const struct stage *stage, const char *destination);

#endif
