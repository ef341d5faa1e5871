// The strings of one command in the single block in which they arrive. Pure.
#ifndef GLOVEBOX_ARGUMENTS_H
#define GLOVEBOX_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

// Points strings[0..count) at the NUL-terminated strings of `block` and strings[count] at NULL. False when the block does not hold
// exactly `count` strings. `strings` has room for count + 1.
bool arguments_split(char *block, size_t length, size_t count, char **strings);

#endif
