// The channel to Node: its `ipc` stream, over which it takes descriptors that come with messages of its own shape (NODE_HANDLE).
#ifndef GLOVEBOX_CAPTIVE_CHANNEL_H
#define GLOVEBOX_CAPTIVE_CHANNEL_H

#include <stdbool.h>

#include "listeners.h"
#include "packet.h"

// Waits until Node has taken each. 0 or errno.
int channel_hand_over(int channel, const struct listeners *listeners, bool is_alone);

// Neither waits: what finds no room is not told.
void channel_tell(int channel, const struct packet *packet);
// Everything that was refused before Node asked has been told.
void channel_settled(int channel);

#endif
