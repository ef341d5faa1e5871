// What the captive network says to Node.
#define _GNU_SOURCE
#include "channel.h"

#include <stdio.h>
#include <sys/socket.h>

#include "../shared/node-channel.h"

#define LINE_BYTES 512

int channel_hand_over(int channel, const struct listeners *listeners, bool is_alone) {
  char line[LINE_BYTES];
  const char *form = is_alone ? "one" : "two";
  snprintf(line, sizeof line, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Server\",\"msg\":{\"kind\":\"tcp\",\"networks\":\"%s\"}}\n", form);
  const int error = node_hand_over(channel, line, listeners->tcp);
  if (error != 0) return error;
  const char *type = listeners->has_ipv6 ? "udp6" : "udp4";
  snprintf(line, sizeof line, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"dgram.Socket\",\"dgramType\":\"%s\",\"msg\":{\"kind\":\"names\"}}\n", type);
  return node_hand_over(channel, line, listeners->names);
}

void channel_tell(int channel, const struct packet *packet) {
  char line[LINE_BYTES], ports[64] = "";
  if (packet->has_ports) {
    snprintf(ports, sizeof ports, ",\"port\":%u,\"sourcePort\":%u", packet->destination_port, packet->source_port);
  }
  snprintf(line, sizeof line, "{\"kind\":\"refused\",\"protocol\":%u,\"address\":\"%s\"%s}\n", packet->protocol, packet->destination, ports);
  node_send(channel, line, -1, MSG_DONTWAIT);
}

void channel_settled(int channel) {
  node_send(channel, "{\"kind\":\"settled\"}\n", -1, MSG_DONTWAIT);
}
