// Does a name match one segment of a rule? Pure.
#ifndef GLOVEBOX_MASKER_GLOB_H
#define GLOVEBOX_MASKER_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
  const uint8_t *bytes;
  size_t length;
};

// `*` any number of characters, `?` one, `[a-z]` `[!a-z]` one of a class; `\` takes the next character literally. A character is a UTF-8
// sequence, or one byte that is not part of one. A leading dot is a character like any other.
bool glob_matches(struct text pattern, struct text name, bool folds);

// `folds`: the directory takes names for the same that differ in case.
bool literal_matches(struct text literal, struct text name, bool folds);

#endif
