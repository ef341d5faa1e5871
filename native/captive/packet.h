// What a refused packet was: read from its first bytes, which somebody hostile chose.
#ifndef GLOVEBOX_CAPTIVE_PACKET_H
#define GLOVEBOX_CAPTIVE_PACKET_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet {
  uint8_t protocol; // as in its header; behind extensions of IPv6, the first of them
  char destination[INET6_ADDRSTRLEN];
  bool has_ports;
  uint16_t source_port, destination_port;
};

// False when it is no packet of IP.
bool packet_read(const uint8_t *bytes, size_t length, struct packet *packet);

#endif
