// TCP is captured by TPROXY, which leaves the original destination as the socket's own address, and is not tracked. Datagrams to port 53
// are redirected, and tracked so that the answer comes from who was asked: their number a second is limited, because each that is tracked takes memory.
#define _GNU_SOURCE
#include "capture.h"

#include <netinet/in.h> // before what the kernel declares of the same

#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <stdbool.h>

#include "rules.h"

#define DNS_PORT 53
#define DNS_PER_SECOND 500
#define LOGGED_PER_SECOND 100

#define NEIGHBOUR_FIRST 133 // router and neighbour discovery, RFC 4861
#define NEIGHBOUR_LAST 136
#define UNREACHABLE_4 3 // RFC 792, and RFC 4443: what the kernel says of an answer for which there is no socket any more
#define UNREACHABLE_6 1
#define LISTENER_REPORT 143 // RFC 3810: the kernel sends it, unasked

static void accept_loopback(struct request *request, const char *chain) {
  rule_begin(request, chain);
  match_loopback_4(request);
  do_verdict(request, NF_ACCEPT);
  rule_end(request);
  rule_begin(request, chain);
  match_loopback_6(request);
  do_verdict(request, NF_ACCEPT);
  rule_end(request);
}

static void accept_tcp(struct request *request, const char *chain) {
  rule_begin(request, chain);
  match_protocol(request, IPPROTO_TCP);
  do_verdict(request, NF_ACCEPT);
  rule_end(request);
}

static void accept_datagrams(struct request *request, const char *chain, uint16_t port, bool limited) {
  rule_begin(request, chain);
  match_protocol(request, IPPROTO_UDP);
  match_port(request, port);
  if (limited) match_rate(request, DNS_PER_SECOND);
  do_verdict(request, NF_ACCEPT);
  rule_end(request);
}

static void judge_icmp(struct request *request, const char *chain, uint8_t protocol, uint8_t type, uint32_t verdict) {
  rule_begin(request, chain);
  match_icmp(request, protocol, type);
  do_verdict(request, verdict);
  rule_end(request);
}

static void accept_neighbours(struct request *request, const char *chain) {
  for (uint8_t type = NEIGHBOUR_FIRST; type <= NEIGHBOUR_LAST; type++) judge_icmp(request, chain, IPPROTO_ICMPV6, type, NF_ACCEPT);
  judge_icmp(request, chain, IPPROTO_ICMPV6, LISTENER_REPORT, NF_ACCEPT);
}

// Nobody inside asked for it, and it is no attempt of anybody.
static void drop_unasked(struct request *request, const char *chain) {
  judge_icmp(request, chain, IPPROTO_ICMP, UNREACHABLE_4, NF_DROP);
  judge_icmp(request, chain, IPPROTO_ICMPV6, UNREACHABLE_6, NF_DROP);
}

static void refuse_the_rest(struct request *request, const char *chain) {
  rule_begin(request, chain);
  match_rate(request, LOGGED_PER_SECOND);
  do_log(request, LOG_GROUP, LOG_BYTES);
  rule_end(request);
  rule_begin(request, chain);
  do_reject(request);
  rule_end(request);
}

static void match_beyond_questions(struct request *request, const char *chain) {
  rule_begin(request, chain);
  match_protocol(request, IPPROTO_UDP);
  match_port(request, GATE_PORT);
  match_beyond_rate(request, DNS_PER_SECOND);
}

// Where the redirected questions go to loopback, before that is let through. Each rule counts for itself, and all count the same packets.
static void limit_redirected(struct request *request, const char *chain) {
  match_beyond_questions(request, chain);
  match_rate(request, LOGGED_PER_SECOND);
  do_log(request, LOG_GROUP, LOG_BYTES);
  rule_end(request);
  match_beyond_questions(request, chain);
  do_reject(request);
  rule_end(request);
}

static void untrack_tcp(struct request *request, const char *chain, uint32_t hook) {
  add_chain(request, &(struct chain){chain, "filter", hook, NF_IP_PRI_RAW, NF_ACCEPT});
  rule_begin(request, chain);
  match_protocol(request, IPPROTO_TCP);
  do_untrack(request);
  rule_end(request);
}

static void capture_tcp(struct request *request, bool is_alone) {
  add_chain(request, &(struct chain){"capture", "filter", NF_INET_PRE_ROUTING, NF_IP_PRI_MANGLE, NF_ACCEPT});
  if (is_alone) accept_loopback(request, "capture");
  rule_begin(request, "capture");
  match_protocol(request, IPPROTO_TCP);
  do_capture(request, GATE_PORT);
  do_verdict(request, NF_ACCEPT);
  rule_end(request);
}

static void redirect_questions(struct request *request, bool is_alone) {
  const uint32_t hook = is_alone ? NF_INET_LOCAL_OUT : NF_INET_PRE_ROUTING;
  add_chain(request, &(struct chain){"names", "nat", hook, NF_IP_PRI_NAT_DST, NF_ACCEPT});
  if (is_alone) accept_loopback(request, "names");
  rule_begin(request, "names");
  match_protocol(request, IPPROTO_UDP);
  match_port(request, DNS_PORT);
  do_redirect(request, GATE_PORT);
  rule_end(request);
}

int capture_in_gate(void) {
  struct request request;
  rules_begin(&request);
  untrack_tcp(&request, "untracked", NF_INET_PRE_ROUTING);
  capture_tcp(&request, false);
  redirect_questions(&request, false);
  add_chain(&request, &(struct chain){"rest", "filter", NF_INET_LOCAL_IN, NF_IP_PRI_FILTER, NF_DROP});
  accept_tcp(&request, "rest");
  accept_datagrams(&request, "rest", GATE_PORT, false);
  accept_neighbours(&request, "rest");
  refuse_the_rest(&request, "rest");
  rules_end(&request);
  return request_send_once(&request, NETLINK_NETFILTER);
}

int refuse_in_application(void) {
  struct request request;
  rules_begin(&request);
  add_chain(&request, &(struct chain){"out", "filter", NF_INET_LOCAL_OUT, NF_IP_PRI_FILTER, NF_ACCEPT});
  rule_begin(&request, "out");
  match_loopback_out(&request);
  do_verdict(&request, NF_ACCEPT);
  rule_end(&request);
  accept_tcp(&request, "out");
  accept_datagrams(&request, "out", DNS_PORT, true);
  accept_neighbours(&request, "out");
  drop_unasked(&request, "out");
  refuse_the_rest(&request, "out");
  rules_end(&request);
  return request_send_once(&request, NETLINK_NETFILTER);
}

int capture_alone(void) {
  struct request request;
  rules_begin(&request);
  untrack_tcp(&request, "untracked", NF_INET_PRE_ROUTING);
  untrack_tcp(&request, "untracked-out", NF_INET_LOCAL_OUT);
  capture_tcp(&request, true);
  redirect_questions(&request, true);
  add_chain(&request, &(struct chain){"rest", "filter", NF_INET_LOCAL_OUT, NF_IP_PRI_FILTER, NF_DROP});
  limit_redirected(&request, "rest");
  accept_loopback(&request, "rest");
  accept_tcp(&request, "rest");
  drop_unasked(&request, "rest");
  refuse_the_rest(&request, "rest");
  rules_end(&request);
  return request_send_once(&request, NETLINK_NETFILTER);
}
