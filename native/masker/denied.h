// What was denied so far: files by identity, so that a further name of one is known, and where links with denied names led to.
#ifndef GLOVEBOX_MASKER_DENIED_H
#define GLOVEBOX_MASKER_DENIED_H

#include <stdbool.h>
#include <sys/stat.h>

#include "tree.h"

void denied_remember(const struct stat *status, uint16_t rule);
// The rule by which the file was denied under another name, or NO_RULE.
uint16_t denied_file(const struct stat *status);

// False when there are too many.
bool denied_add_target(const char *path, size_t length, uint16_t rule);
uint16_t denied_target(struct path path);
size_t denied_target_count(void);
struct path denied_target_at(size_t index);

#endif
