// The descriptor channel of a Node parent (`ipc`): one JSON text a line, a descriptor beside it where there is one.
#ifndef GLOVEBOX_NODE_CHANNEL_H
#define GLOVEBOX_NODE_CHANNEL_H

// Sends one line, with a descriptor unless it is negative. Returns 0 or an errno.
int node_send(int channel, const char *line, int descriptor, int flags);

// Sends one line with a descriptor, and waits until Node has it: it takes no other before. Returns 0 or an errno.
int node_hand_over(int channel, const char *line, int descriptor);

#endif
