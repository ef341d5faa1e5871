// What the mediator is told before the first command: write roots, listed names, and one lock for all commands of the sandbox.
#ifndef GLOVEBOX_MEDIATION_H
#define GLOVEBOX_MEDIATION_H

#include <stdbool.h>
#include <stddef.h>

#include "../protocol/message.h"

struct write_root {
  size_t length;
  char path[PATH_BYTES]; // canonical
};

// Each returns 0, or an errno.
int mediation_add_root(const char *path);
int mediation_add_name(const char *name);
int mediation_add_path(const char *path);
// A place that is the sandbox's own.
int mediation_add_private(const char *path);
// Makes the lock. Call once, before the first command.
int mediation_prepare(void);

// The deepest write root at or above a canonical path, or NULL.
const struct write_root *mediation_root_of(const char *path);
// Whether `name` below a directory of the name `above` ("" when it has none) is listed. ASCII letters count in either case.
bool mediation_lists(const char *above, size_t above_length, const char *name, size_t length);
// Whether the list has "name/something".
bool mediation_lists_below(const char *name);

// Whether a canonical path is listed, or lies below one that is; letters count in either case, as in names.
bool mediation_lists_path(const char *path);
// Whether a listed path lies below it.
bool mediation_lists_path_below(const char *path);

// Whether a canonical path is, or lies in, a place of the sandbox's own.
bool mediation_is_private(const char *path);

// Calls that change which place a name means, or that make a git directory, exclude all others, also those of other sandboxes.
void mediation_lock(bool exclusive);
void mediation_unlock(void);
// Waits until no thread of this process has the lock; from then on none gets it. Call before the process ends.
void mediation_end(void);

#endif
