// The two sockets of the gate.
#ifndef GLOVEBOX_CAPTIVE_LISTENERS_H
#define GLOVEBOX_CAPTIVE_LISTENERS_H

#include <stdbool.h>

struct listeners {
  int tcp, names;
  bool has_ipv6;
};

// In the network that the caller is in; for IPv4 alone without IPv6. 0 or errno.
int listeners_open(struct listeners *listeners, bool has_ipv6);

#endif
