// The layout that the host writes while we work: fields one after the other, each `LENGTH:bytes,` with a decimal length in bytes.
#ifndef GLOVEBOX_LAYOUT_H
#define GLOVEBOX_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct field {
  const char *text; // ends with NUL; a text with a NUL of its own is longer than strlen says
  size_t length;
};

// All zero at first. What standard input has brought so far, and what of it was taken.
struct layout {
  size_t at, end;
};

// Waits until more comes or nothing can any more.
bool layout_is_over(struct layout *layout);

// Waits for it. False when there is none any more, or when it is not whole.
bool layout_next(struct layout *layout, struct field *field);

// The same for what must be a string of C: not empty, and without NUL.
bool layout_text(struct layout *layout, const char **text);

// Decimal digits only, or octal where `base` is 8.
bool layout_number(struct layout *layout, int base, unsigned long long most, unsigned long long *value);

#endif
