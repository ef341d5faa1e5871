// The kernel's log of refused packets, of one network.
#ifndef GLOVEBOX_CAPTIVE_REFUSALS_H
#define GLOVEBOX_CAPTIVE_REFUSALS_H

#include "packet.h"

// In the network that the caller is in; -1 with errno on failure.
int refusals_open(void);

// Reads what is there, at most one datagram of the kernel; `tell` is called for each packet in it. False when nothing was there.
bool refusals_read(int log, void (*tell)(const struct packet *packet, void *context), void *context);

#endif
