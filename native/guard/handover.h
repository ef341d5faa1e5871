// How the listener of a command's filter comes from the process that becomes the command to its keeper.
#ifndef GLOVEBOX_HANDOVER_H
#define GLOVEBOX_HANDOVER_H

#include <stdbool.h>

// The keeper's end and the child's, which lies above its streams: they are put in place over 0, 1 and 2.
bool handover_open(int ends[2]);
// 0, or an errno.
int handover_send(int end, int listener);
// What was sent before the child executed, or -1.
int handover_take(int end);

#endif
