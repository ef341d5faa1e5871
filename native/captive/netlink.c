// Bounds are checked in one place: what does not fit marks the request, and a marked request is never sent.
#define _GNU_SOURCE
#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "../cleanup.h"

#define ANSWER_BYTES 16384
#define ANSWER_SECONDS 5

void request_clear(struct request *request) {
  request->length = request->message = 0;
  request->acknowledged = 0;
  request->overflowed = false;
}

void put_raw(struct request *request, const void *value, size_t size) {
  const size_t padded = (size + 3) & ~(size_t)3;
  if (request->overflowed || padded > REQUEST_BYTES - request->length) {
    request->overflowed = true;
    return;
  }
  memset(request->bytes + request->length, 0, padded);
  if (size > 0) memcpy(request->bytes + request->length, value, size);
  request->length += padded;
}

void message_begin(struct request *request, uint16_t type, uint16_t flags, const void *header, size_t size) {
  const struct nlmsghdr message = {.nlmsg_type = type, .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags)};
  request->message = request->length;
  if ((flags & NLM_F_ACK) != 0) request->acknowledged++;
  put_raw(request, &message, sizeof message);
  put_raw(request, header, size);
}

void message_end(struct request *request) {
  if (request->overflowed) return;
  const uint32_t length = (uint32_t)(request->length - request->message);
  memcpy(request->bytes + request->message + offsetof(struct nlmsghdr, nlmsg_len), &length, sizeof length);
}

void put_bytes(struct request *request, uint16_t type, const void *value, size_t size) {
  const struct nlattr attribute = {.nla_len = (uint16_t)(sizeof(struct nlattr) + size), .nla_type = type};
  put_raw(request, &attribute, sizeof attribute);
  put_raw(request, value, size);
}

void put_text(struct request *request, uint16_t type, const char *value) {
  put_bytes(request, type, value, strlen(value) + 1);
}

void put_u32(struct request *request, uint16_t type, uint32_t value) {
  put_bytes(request, type, &value, sizeof value);
}

void put_be32(struct request *request, uint16_t type, uint32_t value) {
  put_u32(request, type, htonl(value));
}

size_t nest_begin(struct request *request, uint16_t type) {
  const size_t at = request->length;
  const struct nlattr attribute = {.nla_len = 0, .nla_type = (uint16_t)(type | NLA_F_NESTED)};
  put_raw(request, &attribute, sizeof attribute);
  return at;
}

void nest_end(struct request *request, size_t at) {
  if (request->overflowed) return;
  const uint16_t length = (uint16_t)(request->length - at);
  memcpy(request->bytes + at + offsetof(struct nlattr, nla_len), &length, sizeof length);
}

int netlink_open(int protocol) {
  const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
  const struct timeval limit = {.tv_sec = ANSWER_SECONDS};
  if (netlink >= 0) setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return netlink;
}

// How many messages were acknowledged; an errno goes to `error`.
static unsigned count_answers(const char *answer, size_t length, int *error) {
  unsigned answered = 0;
  for (const struct nlmsghdr *header = (const void *)answer; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
    if (header->nlmsg_type != NLMSG_ERROR || header->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) continue;
    const struct nlmsgerr *message = NLMSG_DATA(header);
    if (message->error != 0 && *error == 0) *error = -message->error;
    answered++;
  }
  return answered;
}

int request_send(const struct request *request, int netlink) {
  if (request->overflowed) return EMSGSIZE;
  const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  if (sendto(netlink, request->bytes, request->length, 0, (const void *)&kernel, sizeof kernel) < 0) return errno;
  int error = 0;
  for (unsigned answered = 0; answered < request->acknowledged && error == 0;) {
    _Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
    const ssize_t got = recv(netlink, answer, sizeof answer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EPROTO;
    answered += count_answers(answer, (size_t)got, &error);
  }
  return error;
}

int request_send_once(const struct request *request, int protocol) {
  AUTO_CLOSE const int netlink = netlink_open(protocol);
  return netlink < 0 ? errno : request_send(request, netlink);
}
