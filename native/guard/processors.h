// Binds the guard, and so everything it will start, to a number of processors. Commands cannot undo it: their filter refuses the call.
#ifndef GLOVEBOX_PROCESSORS_H
#define GLOVEBOX_PROCESSORS_H

#include <stdbool.h>

// False when the text is no number above 0, or the kernel refuses. Fewer than there are: the first free one is chosen at random, so that
// sandboxes spread.
bool processors_bind(const char *count);

#endif
