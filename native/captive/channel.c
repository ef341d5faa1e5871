// One JSON text a line. Nothing in it can need escaping: words of ours, numbers, and addresses as inet_ntop writes them.
#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_BYTES 512

static int send_line(int channel, const char *line, int descriptor, int flags) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  struct iovec text = {.iov_base = (void *)(size_t)line, .iov_len = strlen(line)};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  const ssize_t sent = sendmsg(channel, &message, MSG_NOSIGNAL | flags);
  if (sent < 0) return errno;
  return sent == (ssize_t)text.iov_len ? 0 : EPIPE;
}

// Node answers each descriptor with a line before it takes the next.
static int await_line(int channel) {
  char line[LINE_BYTES];
  size_t length = 0;
  while (length < sizeof line - 1) {
    const ssize_t got = read(channel, line + length, sizeof line - 1 - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EPIPE;
    length += (size_t)got;
    line[length] = '\0';
    if (line[length - 1] == '\n') return strstr(line, "\"NODE_HANDLE_ACK\"") != NULL ? 0 : EPROTO;
  }
  return EPROTO;
}

int channel_hand_over(int channel, const struct listeners *listeners, bool is_alone) {
  char line[LINE_BYTES];
  const char *form = is_alone ? "one" : "two";
  snprintf(line, sizeof line, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Server\",\"msg\":{\"kind\":\"tcp\",\"networks\":\"%s\"}}\n", form);
  int error = send_line(channel, line, listeners->tcp, 0);
  if (error == 0) error = await_line(channel);
  if (error != 0) return error;
  const char *type = listeners->has_ipv6 ? "udp6" : "udp4";
  snprintf(line, sizeof line, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"dgram.Socket\",\"dgramType\":\"%s\",\"msg\":{\"kind\":\"names\"}}\n", type);
  error = send_line(channel, line, listeners->names, 0);
  return error == 0 ? await_line(channel) : error;
}

void channel_tell(int channel, const struct packet *packet) {
  char line[LINE_BYTES], ports[64] = "";
  if (packet->has_ports) {
    snprintf(ports, sizeof ports, ",\"port\":%u,\"sourcePort\":%u", packet->destination_port, packet->source_port);
  }
  snprintf(line, sizeof line, "{\"kind\":\"refused\",\"protocol\":%u,\"address\":\"%s\"%s}\n", packet->protocol, packet->destination, ports);
  send_line(channel, line, -1, MSG_DONTWAIT);
}

void channel_settled(int channel) {
  send_line(channel, "{\"kind\":\"settled\"}\n", -1, MSG_DONTWAIT);
}
