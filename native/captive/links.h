// Interfaces, addresses and routes of the two networks.
#ifndef GLOVEBOX_CAPTIVE_LINKS_H
#define GLOVEBOX_CAPTIVE_LINKS_H

#include "namespaces.h"

// Each is called in the application's network and answers 0 or an errno.

// Loopback alone.
int links_up(void);
// Joins it to the gate's by a pair of interfaces: everything that is not local goes to the gate's, where every address is local.
// EOPNOTSUPP: this kernel has no such pairs, and nothing was changed but loopback being up.
int links_join(const struct networks *networks);
// Makes every address local in the application's own network.
int links_alone(const struct networks *networks);

#endif
