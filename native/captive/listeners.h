// The two sockets of the gate.
#ifndef GLOVEBOX_CAPTIVE_LISTENERS_H
#define GLOVEBOX_CAPTIVE_LISTENERS_H

struct listeners {
  int tcp, names;
};

// In the network that the caller is in. 0 or errno.
int listeners_open(struct listeners *listeners);

#endif
