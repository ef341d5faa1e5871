// The vocabulary of packet filter rules that the captive network needs, in netlink's terms.
#ifndef GLOVEBOX_CAPTIVE_RULES_H
#define GLOVEBOX_CAPTIVE_RULES_H

#include <stdint.h>

#include "netlink.h"

// One transaction: a table of both IP families and what is in it, from `begin` to `end`.
void rules_begin(struct request *request);
void rules_end(struct request *request);

struct chain {
  const char *name, *type;
  uint32_t hook;
  int32_t priority;
  uint32_t policy;
};
void add_chain(struct request *request, const struct chain *chain);

// A rule of that chain; its expressions follow, and are looked at in order until one does not match.
void rule_begin(struct request *request, const char *chain);
void rule_end(struct request *request);

void match_protocol(struct request *request, uint8_t protocol);
void match_port(struct request *request, uint16_t destination);
void match_icmp(struct request *request, uint8_t protocol, uint8_t type);
void match_loopback_out(struct request *request);
// By destination: 127.0.0.0/8 and ::1.
void match_loopback_4(struct request *request);
void match_loopback_6(struct request *request);
// A second's worth at once, too.
void match_rate(struct request *request, uint32_t per_second);
void match_beyond_rate(struct request *request, uint32_t per_second);

void do_verdict(struct request *request, uint32_t verdict);
void do_untrack(struct request *request);
void do_capture(struct request *request, uint16_t port);
void do_redirect(struct request *request, uint16_t port);
void do_log(struct request *request, uint16_t group, uint32_t bytes);
// As a port that nobody listens at; whoever sent gets EPERM at once.
void do_reject(struct request *request);

#endif
