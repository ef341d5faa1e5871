// Netlink requests: several messages with nested attributes in one bounded buffer, sent together, each acknowledged by the kernel.
#ifndef GLOVEBOX_CAPTIVE_NETLINK_H
#define GLOVEBOX_CAPTIVE_NETLINK_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_BYTES 16384
#define ATTRIBUTE_HEADER ((ptrdiff_t)sizeof(struct nlattr))

struct request {
  _Alignas(4) uint8_t bytes[REQUEST_BYTES];
  size_t length;
  size_t message;        // where the open message begins
  unsigned acknowledged; // messages that ask for an answer
  bool overflowed;       // then sending fails
};

void request_clear(struct request *request);
// `flags` besides NLM_F_REQUEST; with NLM_F_ACK an answer is waited for.
void message_begin(struct request *request, uint16_t type, uint16_t flags, const void *header, size_t size);
void message_end(struct request *request);
void put_bytes(struct request *request, uint16_t type, const void *value, size_t size);
void put_text(struct request *request, uint16_t type, const char *value);
void put_u32(struct request *request, uint16_t type, uint32_t value);
// In network order, as nf_tables has its numbers.
void put_be32(struct request *request, uint16_t type, uint32_t value);
// Bytes without a header, where a format has them.
void put_raw(struct request *request, const void *value, size_t size);
size_t nest_begin(struct request *request, uint16_t type);
void nest_end(struct request *request, size_t at);

// A socket of the namespace that the caller is in; -1 with errno on failure.
int netlink_open(int protocol);
// 0 or the errno of the first message that the kernel refused.
int request_send(const struct request *request, int netlink);
// The same with a socket of its own.
int request_send_once(const struct request *request, int protocol);

#endif
