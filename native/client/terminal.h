// Our terminal, lent to a command that has one of its own inside.
#ifndef GLOVEBOX_CLIENT_TERMINAL_H
#define GLOVEBOX_CLIENT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct terminal_size {
  uint16_t rows, columns;
};

// Of standard output; 24 x 80 where there is none.
struct terminal_size terminal_size(void);

// Whether a terminal among our streams is another job's now: using it would stop us.
bool terminal_is_elsewhere(void);

// Raw mode of the terminal of standard input, if it is one; given back on every way out.
void terminal_lend(void);

// Ordinary mode, as it was found. Any number of times.
void terminal_give_back(void);

// ctrl-] three times within a second: the sure way out. True at the third.
bool terminal_end_key(const uint8_t *bytes, size_t length);

#endif
