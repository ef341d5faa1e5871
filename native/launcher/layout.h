// The layout that the host writes: fields one after the other, each `LENGTH:bytes,` with a decimal length in bytes.
#ifndef GLOVEBOX_LAYOUT_H
#define GLOVEBOX_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct field {
  const char *text; // ends with NUL; a text with a NUL of its own is longer than strlen says
  size_t length;
};

struct layout {
  char *at, *end;
};

// Reads standard input to its end and puts nothing in its place. 0, or an errno.
int layout_read(struct layout *layout);

bool layout_is_over(const struct layout *layout);

// False when there is none, or when it is not whole.
bool layout_next(struct layout *layout, struct field *field);

// The same for what must be a string of C: not empty, and without NUL.
bool layout_text(struct layout *layout, const char **text);

// Decimal digits only, or octal where `base` is 8.
bool layout_number(struct layout *layout, int base, unsigned long long most, unsigned long long *value);

#endif
