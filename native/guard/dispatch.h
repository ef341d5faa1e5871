// From a frame to what it asks for.
#ifndef GLOVEBOX_DISPATCH_H
#define GLOVEBOX_DISPATCH_H

#include "command.h"

bool dispatch_hello(struct guard *guard);
// Acts on every whole frame that was read. Negative: go on; else the guard's exit status.
int dispatch_frames(struct guard *guard);

#endif
