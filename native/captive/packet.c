// Ports are told where they are sure: UDP and its like right behind the header, of a packet that is whole or the first fragment.
#define _GNU_SOURCE
#include "packet.h"

#include <netinet/in.h>

#define HEADER_4 20u
#define HEADER_6 40u
#define FRAGMENT_OFFSET 0x1fffu

static uint16_t read_u16(const uint8_t *at) {
  return (uint16_t)(at[0] << 8 | at[1]);
}

static void read_ports(const uint8_t *bytes, size_t length, size_t header, struct packet *packet) {
  const bool known = packet->protocol == IPPROTO_UDP || packet->protocol == IPPROTO_TCP || packet->protocol == IPPROTO_SCTP ||
                     packet->protocol == IPPROTO_UDPLITE || packet->protocol == IPPROTO_DCCP;
  if (!known || length < header + 4) return;
  packet->has_ports = true;
  packet->source_port = read_u16(bytes + header);
  packet->destination_port = read_u16(bytes + header + 2);
}

static bool read_4(const uint8_t *bytes, size_t length, struct packet *packet) {
  if (length < HEADER_4) return false;
  const size_t header = (size_t)(bytes[0] & 15u) * 4;
  if (header < HEADER_4) return false;
  packet->protocol = bytes[9];
  inet_ntop(AF_INET, bytes + 16, packet->destination, sizeof packet->destination);
  if ((read_u16(bytes + 6) & FRAGMENT_OFFSET) == 0) read_ports(bytes, length, header, packet);
  return true;
}

static bool read_6(const uint8_t *bytes, size_t length, struct packet *packet) {
  if (length < HEADER_6) return false;
  packet->protocol = bytes[6];
  inet_ntop(AF_INET6, bytes + 24, packet->destination, sizeof packet->destination);
  read_ports(bytes, length, HEADER_6, packet);
  return true;
}

bool packet_read(const uint8_t *bytes, size_t length, struct packet *packet) {
  *packet = (struct packet){0};
  if (length == 0) return false;
  switch (bytes[0] >> 4) {
    case 4:
      return read_4(bytes, length, packet);
    case 6:
      return read_6(bytes, length, packet);
    default:
      return false;
  }
}
