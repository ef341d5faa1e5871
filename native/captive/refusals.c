// NFLOG (linux/netfilter/nfnetlink_log.h): the kernel sends a packet's first bytes for each rule that logs.
#define _GNU_SOURCE
#include "refusals.h"

#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture.h"
#include "netlink.h"

#define CONFIGURE (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG)
#define PACKET (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET)
#define READ_BYTES 65536
#define TYPE_MASK 0x3fffu

static void configure(struct request *request, uint16_t attribute, const void *value, size_t size) {
  const struct nfgenmsg message = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(LOG_GROUP)};
  message_begin(request, CONFIGURE, NLM_F_ACK, &message, sizeof message);
  put_bytes(request, attribute, value, size);
  message_end(request);
}

int refusals_open(void) {
  const int log = netlink_open(NETLINK_NETFILTER);
  if (log < 0) return -1;
  struct request request;
  request_clear(&request);
  const struct nfulnl_msg_config_cmd bind = {NFULNL_CFG_CMD_BIND};
  const struct nfulnl_msg_config_mode mode = {.copy_range = htonl(LOG_BYTES), .copy_mode = NFULNL_COPY_PACKET};
  const uint32_t at_once = htonl(1);
  configure(&request, NFULA_CFG_CMD, &bind, sizeof bind);
  configure(&request, NFULA_CFG_MODE, &mode, sizeof mode);
  configure(&request, NFULA_CFG_QTHRESH, &at_once, sizeof at_once);
  const int error = request_send(&request, log);
  if (error == 0) return log;
  close(log);
  errno = error;
  return -1;
}

// The packet's bytes within a message; 0 when it has none.
static size_t find_payload(const struct nlmsghdr *header, const uint8_t **payload) {
  const size_t skip = NLMSG_LENGTH(sizeof(struct nfgenmsg));
  if (header->nlmsg_len < skip) return 0;
  const uint8_t *at = (const uint8_t *)header + NLMSG_ALIGN(skip);
  const uint8_t *const end = (const uint8_t *)header + header->nlmsg_len;
  while (end - at >= ATTRIBUTE_HEADER) {
    const struct nlattr *attribute = (const void *)at;
    if (attribute->nla_len < ATTRIBUTE_HEADER || attribute->nla_len > end - at) return 0;
    if ((attribute->nla_type & TYPE_MASK) == NFULA_PAYLOAD) {
      *payload = at + ATTRIBUTE_HEADER;
      return (size_t)(attribute->nla_len - ATTRIBUTE_HEADER);
    }
    const ptrdiff_t step = (attribute->nla_len + 3) & ~3;
    if (step > end - at) return 0;
    at += step;
  }
  return 0;
}

bool refusals_read(int log, void (*tell)(const struct packet *packet, void *context), void *context) {
  _Alignas(struct nlmsghdr) static char bytes[READ_BYTES];
  const ssize_t got = recv(log, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got <= 0) return got < 0 && errno == ENOBUFS; // some were lost: the next ones are there
  size_t length = (size_t)got;
  for (const struct nlmsghdr *header = (const void *)bytes; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
    if (header->nlmsg_type != PACKET) continue;
    const uint8_t *payload = NULL;
    const size_t size = find_payload(header, &payload);
    struct packet packet;
    if (packet_read(payload, size, &packet)) tell(&packet, context);
  }
  return true;
}
