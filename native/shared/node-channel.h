// The descriptor channel of a Node parent (`ipc`): one JSON text a line, a descriptor beside it where there is one.
#ifndef GLOVEBOX_NODE_CHANNEL_H
#define GLOVEBOX_NODE_CHANNEL_H

#include <stdbool.h>

// Sends one line, with a descriptor unless it is negative. Returns 0 or an errno.
int node_send(int channel, const char *line, int descriptor, int flags);

// Descriptors or memory, of this process, its user or the machine: it passes. ETOOMANYREFS, of unix(7), is what a user has on its way in messages.
bool node_is_shortage(int error);

// Sends one line with a descriptor, and waits until Node has it: it takes no other before. Returns 0 or an errno.
int node_hand_over(int channel, const char *line, int descriptor);

#endif
