// Nothing in a line can need escaping: words of ours, numbers, and addresses as inet_ntop writes them.
#define _GNU_SOURCE
#include "node-channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_BYTES 512

int node_send(int channel, const char *line, int descriptor, int flags) {
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

bool node_is_shortage(int error) {
  return error == ETOOMANYREFS || error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

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

int node_hand_over(int channel, const char *line, int descriptor) {
  const int error = node_send(channel, line, descriptor, 0);
  return error == 0 ? await_line(channel) : error;
}
