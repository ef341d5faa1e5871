// Between processes of the guard's own, as the structures lie in memory.
#define _GNU_SOURCE
#include "errand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../protocol/arguments.h"

struct head {
  uint32_t stream;
  struct message_exec request;
};

union control {
  char bytes[CMSG_SPACE(3 * sizeof(int))];
  struct cmsghdr align;
};

char **errand_strings(const struct errand *errand) {
  const struct message_exec *request = &errand->request;
  const size_t count = 1 + (size_t)request->argc + request->envc;
  char **strings = calloc(count + 2, sizeof *strings);
  if (strings == NULL) return NULL;
  if (!arguments_split(errand->arguments, errand->length, count, strings)) {
    free(strings);
    return NULL;
  }
  char **environment = strings + 1 + request->argc;
  memmove(environment + 1, environment, (request->envc + 1) * sizeof *strings);
  *environment = NULL;
  return strings;
}

bool errand_send(int socket, const struct errand *errand) {
  if (errand->length > ERRAND_BYTES_MAX) return false;
  struct head head = {errand->stream, errand->request};
  union control control = {0};
  struct iovec parts[] = {{&head, sizeof head}, {errand->arguments, errand->length}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof errand->streams);
  memcpy(CMSG_DATA(header), errand->streams, sizeof errand->streams);
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)(sizeof head + errand->length);
}

bool errand_receive(int socket, struct errand *errand) {
  static char arguments[ERRAND_BYTES_MAX];
  struct head head;
  union control control = {0};
  struct iovec parts[] = {{&head, sizeof head}, {arguments, sizeof arguments}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < (ssize_t)sizeof head || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return false;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof errand->streams)) return false;
  *errand = (struct errand){.stream = head.stream, .request = head.request, .arguments = arguments, .length = (size_t)got - sizeof head};
  memcpy(errand->streams, CMSG_DATA(header), sizeof errand->streams);
  return true;
}
