// Nothing in a line can need escaping: words of ours, numbers, and addresses as inet_ntop writes them.
#define _GNU_SOURCE
#include "node-channel.h"

#include <errno.h>
#include <poll.h>
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

int node_receive(int channel, struct node_answers *answers) {
  memmove(answers->bytes, answers->bytes + answers->taken, answers->length - answers->taken);
  answers->length -= answers->taken;
  answers->taken = 0;
  if (answers->length == sizeof answers->bytes) return EPROTO; // no answer of Node's is so long
  const ssize_t got = recv(channel, answers->bytes + answers->length, sizeof answers->bytes - answers->length, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : errno;
  answers->length += (size_t)got;
  return got == 0 ? EPIPE : 0;
}

enum node_answer node_next_answer(struct node_answers *answers) {
  const char *line = answers->bytes + answers->taken;
  const size_t rest = answers->length - answers->taken;
  const char *end = memchr(line, '\n', rest);
  if (end == NULL) return NODE_SILENT;
  const size_t length = (size_t)(end - line);
  answers->taken += length + 1;
  if (memmem(line, length, "\"NODE_HANDLE_ACK\"", 17) != NULL) return NODE_HAS_IT;
  return memmem(line, length, "\"NODE_HANDLE_NACK\"", 18) != NULL ? NODE_LACKS_IT : NODE_STRANGE;
}

static int await_answer(int channel) {
  struct node_answers answers = {0};
  for (;;) {
    struct pollfd wait = {channel, POLLIN, 0};
    if (poll(&wait, 1, -1) < 0 && errno != EINTR) return errno;
    const int error = node_receive(channel, &answers);
    if (error != 0) return error;
    switch (node_next_answer(&answers)) {
      case NODE_SILENT: continue;
      case NODE_HAS_IT: return 0;
      case NODE_LACKS_IT: return EMFILE;
      case NODE_STRANGE: return EPROTO;
    }
  }
}

int node_hand_over(int channel, const char *line, int descriptor) {
  const int error = node_send(channel, line, descriptor, 0);
  return error == 0 ? await_answer(channel) : error;
}
