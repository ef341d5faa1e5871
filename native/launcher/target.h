// Where something is put in the staging directory.
#ifndef GLOVEBOX_TARGET_H
#define GLOVEBOX_TARGET_H

#include <stdbool.h>

#include "stage.h"

// A descriptor of the place (O_PATH), made with what leads to it where it is missing. -1 with errno; EXDEV where it would have to be made
// in a file system that is not ours.
int target_of(const struct stage *stage, const char *destination, bool is_directory);

// A descriptor of the directory that holds the place, and lies on a file system of ours; *name is its last part. As above.
int target_own_parent(const struct stage *stage, const char *destination, const char **name);

// What was made by name belongs to the sandbox.
bool target_give(const struct stage *stage, int directory, const char *name);

#endif
