// The descriptor channel of a Node parent (`ipc`): one JSON text a line, a descriptor beside it where there is one.
#ifndef GLOVEBOX_NODE_CHANNEL_H
#define GLOVEBOX_NODE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

// Sends one line, with a descriptor unless it is negative. Returns 0 or an errno.
int node_send(int channel, const char *line, int descriptor, int flags);

// Descriptors or memory, of this process, its user or the machine: it passes. ETOOMANYREFS, of unix(7), is what a user has on its way in messages.
bool node_is_shortage(int error);

// Node's answers to descriptors, in the order in which they were sent.
enum node_answer { NODE_SILENT, NODE_HAS_IT, NODE_LACKS_IT, NODE_STRANGE };

struct node_answers {
  char bytes[256];
  size_t length, taken;
};

// What has come so far, without waiting. Returns 0 or an errno: EPIPE when Node has gone.
int node_receive(int channel, struct node_answers *answers);

// NODE_SILENT when there is none any more; NODE_LACKS_IT when Node had no room for the descriptor.
enum node_answer node_next_answer(struct node_answers *answers);

// Sends one line with a descriptor, and waits until Node has it: it takes no other before. Returns 0 or an errno: EMFILE when it had no room for it.
int node_hand_over(int channel, const char *line, int descriptor);

#endif
