// Each expression is a nested attribute: its name, and its own attributes (linux/netfilter/nf_tables.h).
#define _GNU_SOURCE
#include "rules.h"

#include <netinet/in.h> // before what the kernel declares of the same

#include <arpa/inet.h>
#include <endian.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#define TABLE "glovebox"
#define LOOPBACK 1u

static void begin(struct request *request, uint16_t type, uint16_t flags) {
  const struct nfgenmsg message = {.nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0};
  message_begin(request, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), (uint16_t)(NLM_F_CREATE | NLM_F_ACK | flags), &message, sizeof message);
}

static void mark_batch(struct request *request, uint16_t type) {
  const struct nfgenmsg message = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)};
  message_begin(request, type, 0, &message, sizeof message);
  message_end(request);
}

void rules_begin(struct request *request) {
  request_clear(request);
  mark_batch(request, NFNL_MSG_BATCH_BEGIN);
  begin(request, NFT_MSG_NEWTABLE, 0);
  put_text(request, NFTA_TABLE_NAME, TABLE);
  message_end(request);
}

void rules_end(struct request *request) {
  mark_batch(request, NFNL_MSG_BATCH_END);
}

void add_chain(struct request *request, const struct chain *chain) {
  begin(request, NFT_MSG_NEWCHAIN, 0);
  put_text(request, NFTA_CHAIN_TABLE, TABLE);
  put_text(request, NFTA_CHAIN_NAME, chain->name);
  const size_t hook = nest_begin(request, NFTA_CHAIN_HOOK);
  put_be32(request, NFTA_HOOK_HOOKNUM, chain->hook);
  put_be32(request, NFTA_HOOK_PRIORITY, (uint32_t)chain->priority);
  nest_end(request, hook);
  put_be32(request, NFTA_CHAIN_POLICY, chain->policy);
  put_text(request, NFTA_CHAIN_TYPE, chain->type);
  message_end(request);
}

static size_t open_rule; // one rule is open at a time

void rule_begin(struct request *request, const char *chain) {
  begin(request, NFT_MSG_NEWRULE, NLM_F_APPEND);
  put_text(request, NFTA_RULE_TABLE, TABLE);
  put_text(request, NFTA_RULE_CHAIN, chain);
  open_rule = nest_begin(request, NFTA_RULE_EXPRESSIONS);
}

void rule_end(struct request *request) {
  nest_end(request, open_rule);
  message_end(request);
}

struct expression {
  size_t element, data;
};

static struct expression expression_begin(struct request *request, const char *name) {
  struct expression expression;
  expression.element = nest_begin(request, NFTA_LIST_ELEM);
  put_text(request, NFTA_EXPR_NAME, name);
  expression.data = nest_begin(request, NFTA_EXPR_DATA);
  return expression;
}

static void expression_end(struct request *request, struct expression expression) {
  nest_end(request, expression.data);
  nest_end(request, expression.element);
}

static void put_value(struct request *request, uint16_t type, const void *value, size_t size) {
  const size_t nest = nest_begin(request, type);
  put_bytes(request, NFTA_DATA_VALUE, value, size);
  nest_end(request, nest);
}

static void compare(struct request *request, const void *value, size_t size) {
  const struct expression expression = expression_begin(request, "cmp");
  put_be32(request, NFTA_CMP_SREG, NFT_REG_1);
  put_be32(request, NFTA_CMP_OP, NFT_CMP_EQ);
  put_value(request, NFTA_CMP_DATA, value, size);
  expression_end(request, expression);
}

static void match_meta(struct request *request, uint32_t key, const void *value, size_t size) {
  const struct expression expression = expression_begin(request, "meta");
  put_be32(request, NFTA_META_KEY, key);
  put_be32(request, NFTA_META_DREG, NFT_REG_1);
  expression_end(request, expression);
  compare(request, value, size);
}

static void match_payload(struct request *request, uint32_t base, uint32_t offset, const void *value, size_t size) {
  const struct expression expression = expression_begin(request, "payload");
  put_be32(request, NFTA_PAYLOAD_DREG, NFT_REG_1);
  put_be32(request, NFTA_PAYLOAD_BASE, base);
  put_be32(request, NFTA_PAYLOAD_OFFSET, offset);
  put_be32(request, NFTA_PAYLOAD_LEN, (uint32_t)size);
  expression_end(request, expression);
  compare(request, value, size);
}

void match_protocol(struct request *request, uint8_t protocol) {
  match_meta(request, NFT_META_L4PROTO, &protocol, sizeof protocol);
}

void match_port(struct request *request, uint16_t destination) {
  const uint16_t port = htons(destination);
  match_payload(request, NFT_PAYLOAD_TRANSPORT_HEADER, 2, &port, sizeof port);
}

void match_icmp(struct request *request, uint8_t protocol, uint8_t type) {
  match_protocol(request, protocol);
  match_payload(request, NFT_PAYLOAD_TRANSPORT_HEADER, 0, &type, sizeof type);
}

void match_loopback_out(struct request *request) {
  const uint32_t link = LOOPBACK;
  match_meta(request, NFT_META_OIF, &link, sizeof link);
}

void match_loopback_4(struct request *request) {
  const uint8_t family = NFPROTO_IPV4, first = 127;
  match_meta(request, NFT_META_NFPROTO, &family, sizeof family);
  match_payload(request, NFT_PAYLOAD_NETWORK_HEADER, 16, &first, sizeof first);
}

void match_loopback_6(struct request *request) {
  const uint8_t family = NFPROTO_IPV6;
  match_meta(request, NFT_META_NFPROTO, &family, sizeof family);
  match_payload(request, NFT_PAYLOAD_NETWORK_HEADER, 24, &in6addr_loopback, sizeof in6addr_loopback);
}

static void put_limit(struct request *request, uint64_t per_second, uint32_t flags) {
  const uint64_t rate = htobe64(per_second), unit = htobe64(1);
  const struct expression expression = expression_begin(request, "limit");
  put_bytes(request, NFTA_LIMIT_RATE, &rate, sizeof rate);
  put_bytes(request, NFTA_LIMIT_UNIT, &unit, sizeof unit);
  put_be32(request, NFTA_LIMIT_BURST, (uint32_t)per_second);
  put_be32(request, NFTA_LIMIT_FLAGS, flags);
  expression_end(request, expression);
}

void match_rate(struct request *request, uint32_t per_second) {
  put_limit(request, per_second, 0);
}

void match_beyond_rate(struct request *request, uint32_t per_second) {
  put_limit(request, per_second, NFT_LIMIT_F_INV);
}

static void put_immediate(struct request *request, uint16_t port) {
  const uint16_t value = htons(port);
  const struct expression expression = expression_begin(request, "immediate");
  put_be32(request, NFTA_IMMEDIATE_DREG, NFT_REG_1);
  put_value(request, NFTA_IMMEDIATE_DATA, &value, sizeof value);
  expression_end(request, expression);
}

void do_verdict(struct request *request, uint32_t verdict) {
  const struct expression expression = expression_begin(request, "immediate");
  put_be32(request, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
  const size_t data = nest_begin(request, NFTA_IMMEDIATE_DATA);
  const size_t code = nest_begin(request, NFTA_DATA_VERDICT);
  put_be32(request, NFTA_VERDICT_CODE, verdict);
  nest_end(request, code);
  nest_end(request, data);
  expression_end(request, expression);
}

void do_untrack(struct request *request) {
  expression_end(request, expression_begin(request, "notrack"));
}

void do_capture(struct request *request, uint16_t port) {
  put_immediate(request, port);
  const struct expression expression = expression_begin(request, "tproxy");
  put_be32(request, NFTA_TPROXY_FAMILY, NFPROTO_UNSPEC);
  put_be32(request, NFTA_TPROXY_REG_PORT, NFT_REG_1);
  expression_end(request, expression);
}

void do_redirect(struct request *request, uint16_t port) {
  put_immediate(request, port);
  const struct expression expression = expression_begin(request, "redir");
  put_be32(request, NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
  expression_end(request, expression);
}

void do_log(struct request *request, uint16_t group, uint32_t bytes) {
  const uint16_t number = htons(group);
  const struct expression expression = expression_begin(request, "log");
  put_bytes(request, NFTA_LOG_GROUP, &number, sizeof number);
  put_be32(request, NFTA_LOG_SNAPLEN, bytes);
  expression_end(request, expression);
}

void do_reject(struct request *request) {
  const uint8_t code = NFT_REJECT_ICMPX_PORT_UNREACH;
  const struct expression expression = expression_begin(request, "reject");
  put_be32(request, NFTA_REJECT_TYPE, NFT_REJECT_ICMPX_UNREACH);
  put_bytes(request, NFTA_REJECT_ICMP_CODE, &code, sizeof code);
  expression_end(request, expression);
}
