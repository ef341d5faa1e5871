// The user namespace that owns the two networks, and the networks.
#ifndef GLOVEBOX_CAPTIVE_NAMESPACES_H
#define GLOVEBOX_CAPTIVE_NAMESPACES_H

#include <stdbool.h>

struct networks {
  int gate, application; // descriptors of namespaces, closed on exec
  bool has_ipv6;         // some machines are started without it
};

// Leaves the caller in the application's network, with every capability over both and with the id that it had. 0 or errno.
int namespaces_make(struct networks *networks);

#endif
