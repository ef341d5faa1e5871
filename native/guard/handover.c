// A pair of packet sockets that carries one descriptor.
#define _GNU_SOURCE
#include "handover.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
  char bytes[CMSG_SPACE(sizeof(int))];
  struct cmsghdr align;
};

bool handover_open(int ends[2]) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  const int lifted = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
  if (lifted < 0) return false;
  close(ends[1]);
  ends[1] = lifted;
  return true;
}

int handover_send(int end, int listener) {
  union control control = {0};
  char byte = 0;
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof listener);
  memcpy(CMSG_DATA(header), &listener, sizeof listener);
  return sendmsg(end, &message, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

int handover_take(int end) {
  union control control = {0};
  char byte;
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  if (recvmsg(end, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return -1;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return -1;
  int listener;
  memcpy(&listener, CMSG_DATA(header), sizeof listener);
  return listener;
}
