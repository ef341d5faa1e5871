// The places that the sandbox shows, and the paths that no glob denies.
#ifndef GLOVEBOX_MASKER_PLACES_H
#define GLOVEBOX_MASKER_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "../shared/glob.h"
#include "tree.h"

// False when there are too many, or it is no absolute path.
bool places_add(struct text path);
bool exempt_add(struct text path);
bool is_exempt(struct path path);

size_t place_count(void);
struct text place_at(size_t index); // ends with NUL
// In one of the places, and not above one.
bool is_in_place(const char *path, size_t length);
bool is_above_place(const char *path, size_t length);

#endif
