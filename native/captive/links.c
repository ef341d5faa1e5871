// The addresses are ones that no server has: IPv4's block for a host's own translators (RFC 7335), and a local prefix of ours.
#define _GNU_SOURCE
#include "links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "../cleanup.h"
#include "netlink.h"

#define LOOPBACK 1u
#define APPLICATION_LINK 2u // the kernel must not take the two for one: they differ
#define GATE_LINK 3u
#define LINK_MTU 65535u // a packet never leaves the machine
#define PACKET_BYTES 262144u // of a stream, on its way through the link
#define GSO_IPV4_MAX_SIZE 63 // IFLA_GSO_IPV4_MAX_SIZE of Linux 6.3, younger than some headers
#define OPERATIONAL 6   // IF_OPER_UP of linux/if.h, which cannot be read together with net/if.h
#define UP_TRIES 2000   // a millisecond each

#define APPLICATION_4 "192.0.0.2"
#define APPLICATION_6 "fd67:6c6f:7665:626f::2"
#define GATE_4 "192.0.0.1"
#define GATE_6 "fd67:6c6f:7665:626f::1"

static const uint16_t make = NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;

static size_t address_bytes(int family, const char *text, uint8_t bytes[16]) {
  inet_pton(family, text, bytes);
  return family == AF_INET ? 4 : 16;
}

static void add_up(struct request *request, unsigned link) {
  const struct ifinfomsg message = {.ifi_family = AF_UNSPEC, .ifi_index = (int)link, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
  message_begin(request, RTM_NEWLINK, NLM_F_ACK, &message, sizeof message);
  message_end(request);
}

static void add_address(struct request *request, unsigned link, int family, const char *text, uint8_t prefix) {
  const struct ifaddrmsg message = {
      .ifa_family = (uint8_t)family, .ifa_prefixlen = prefix, .ifa_flags = family == AF_INET6 ? IFA_F_NODAD : 0, .ifa_index = link};
  uint8_t bytes[16];
  const size_t size = address_bytes(family, text, bytes);
  message_begin(request, RTM_NEWADDR, make, &message, sizeof message);
  put_bytes(request, IFA_LOCAL, bytes, size);
  put_bytes(request, IFA_ADDRESS, bytes, size);
  message_end(request);
}

static void put_address(struct request *request, uint16_t type, int family, const char *text) {
  uint8_t bytes[16];
  if (text == NULL) return;
  const size_t size = address_bytes(family, text, bytes);
  put_bytes(request, type, bytes, size);
}

struct route {
  int family;
  uint8_t type, scope;
  unsigned link;
  const char *gateway, *source;
};

// In the main table: the table of local addresses comes first and keeps its own.
static void add_default_route(struct request *request, const struct route *route) {
  const struct rtmsg message = {.rtm_family = (uint8_t)route->family,
                                .rtm_table = RT_TABLE_MAIN,
                                .rtm_protocol = RTPROT_BOOT,
                                .rtm_scope = route->scope,
                                .rtm_type = route->type};
  message_begin(request, RTM_NEWROUTE, make, &message, sizeof message);
  put_u32(request, RTA_OIF, route->link);
  put_address(request, RTA_GATEWAY, route->family, route->gateway);
  put_address(request, RTA_PREFSRC, route->family, route->source);
  message_end(request);
}

static void add_everything_local(struct request *request, bool has_ipv6, const char *source_4, const char *source_6) {
  add_default_route(request, &(struct route){AF_INET, RTN_LOCAL, RT_SCOPE_HOST, LOOPBACK, NULL, source_4});
  if (has_ipv6) add_default_route(request, &(struct route){AF_INET6, RTN_LOCAL, RT_SCOPE_UNIVERSE, LOOPBACK, NULL, source_6});
}

static void put_end(struct request *request, const char *name) {
  put_text(request, IFLA_IFNAME, name);
  put_u32(request, IFLA_MTU, LINK_MTU);
}

static int make_pair(int gate) {
  struct request request;
  request_clear(&request);
  const struct ifinfomsg application_end = {.ifi_family = AF_UNSPEC, .ifi_index = APPLICATION_LINK};
  const struct ifinfomsg gate_end = {.ifi_family = AF_UNSPEC, .ifi_index = GATE_LINK};
  message_begin(&request, RTM_NEWLINK, make, &application_end, sizeof application_end);
  put_end(&request, "eth0");
  const size_t information = nest_begin(&request, IFLA_LINKINFO);
  put_text(&request, IFLA_INFO_KIND, "veth");
  const size_t data = nest_begin(&request, IFLA_INFO_DATA);
  const size_t peer = nest_begin(&request, VETH_INFO_PEER);
  put_raw(&request, &gate_end, sizeof gate_end);
  put_end(&request, "gate0");
  put_u32(&request, IFLA_NET_NS_FD, (uint32_t)gate);
  nest_end(&request, peer);
  nest_end(&request, data);
  nest_end(&request, information);
  message_end(&request);
  return request_send_once(&request, NETLINK_ROUTE);
}

static void add_packet_bytes(struct request *request, unsigned link, uint16_t attribute) {
  const struct ifinfomsg message = {.ifi_family = AF_UNSPEC, .ifi_index = (int)link};
  message_begin(request, RTM_SETLINK, NLM_F_ACK, &message, sizeof message);
  put_u32(request, attribute, PACKET_BYTES);
  message_end(request);
}

// Streams cross in packets beyond 64 KiB: each costs as much as a small one. A kernel that does not know them refuses, and sends smaller ones.
static void allow_large_packets(unsigned link) {
  struct request request;
  request_clear(&request);
  add_packet_bytes(&request, link, IFLA_GSO_MAX_SIZE);
  add_packet_bytes(&request, link, GSO_IPV4_MAX_SIZE);
  request_send_once(&request, NETLINK_ROUTE);
}

int links_up(void) {
  struct request request;
  request_clear(&request);
  add_up(&request, LOOPBACK);
  return request_send_once(&request, NETLINK_ROUTE);
}

static int build_gate_end(bool has_ipv6) {
  struct request request;
  request_clear(&request);
  add_up(&request, LOOPBACK);
  add_address(&request, GATE_LINK, AF_INET, GATE_4, 30);
  if (has_ipv6) add_address(&request, GATE_LINK, AF_INET6, GATE_6, 64);
  add_up(&request, GATE_LINK);
  add_everything_local(&request, has_ipv6, NULL, NULL);
  return request_send_once(&request, NETLINK_ROUTE);
}

static int build_application_end(bool has_ipv6) {
  struct request request;
  request_clear(&request);
  add_address(&request, APPLICATION_LINK, AF_INET, APPLICATION_4, 30);
  if (has_ipv6) add_address(&request, APPLICATION_LINK, AF_INET6, APPLICATION_6, 64);
  add_up(&request, APPLICATION_LINK);
  add_default_route(&request, &(struct route){AF_INET, RTN_UNICAST, RT_SCOPE_UNIVERSE, APPLICATION_LINK, GATE_4, NULL});
  if (has_ipv6) add_default_route(&request, &(struct route){AF_INET6, RTN_UNICAST, RT_SCOPE_UNIVERSE, APPLICATION_LINK, GATE_6, NULL});
  return request_send_once(&request, NETLINK_ROUTE);
}

static bool says_up(const char *answer, size_t length) {
  const struct nlmsghdr *header = (const void *)answer;
  if (!NLMSG_OK(header, length) || header->nlmsg_type != RTM_NEWLINK) return false;
  const uint8_t *at = (const uint8_t *)header + NLMSG_SPACE(sizeof(struct ifinfomsg));
  const uint8_t *const end = (const uint8_t *)header + header->nlmsg_len;
  while (end - at > ATTRIBUTE_HEADER) {
    const struct nlattr *attribute = (const void *)at;
    if (attribute->nla_type == IFLA_OPERSTATE) return at[ATTRIBUTE_HEADER] == OPERATIONAL;
    if (attribute->nla_len < ATTRIBUTE_HEADER) return false;
    at += (attribute->nla_len + 3u) & ~3u;
  }
  return false;
}

// Until then the kernel drops what is sent, and whoever connected would try again a second later.
static int wait_until_up(unsigned link) {
  struct request request;
  request_clear(&request);
  const struct ifinfomsg message = {.ifi_family = AF_UNSPEC, .ifi_index = (int)link};
  message_begin(&request, RTM_GETLINK, 0, &message, sizeof message);
  message_end(&request);
  AUTO_CLOSE const int netlink = netlink_open(NETLINK_ROUTE);
  if (netlink < 0) return errno;
  for (int attempt = 0; attempt < UP_TRIES; attempt++) {
    _Alignas(struct nlmsghdr) char answer[8192];
    const int error = request_send(&request, netlink);
    const ssize_t got = error == 0 ? recv(netlink, answer, sizeof answer, 0) : -1;
    if (got <= 0) return error != 0 ? error : errno;
    if (says_up(answer, (size_t)got)) return 0;
    poll(NULL, 0, 1);
  }
  return ENETDOWN;
}

int links_join(const struct networks *networks) {
  int error = links_up();
  if (error == 0) error = make_pair(networks->gate);
  if (error != 0) return error;
  if (setns(networks->gate, CLONE_NEWNET) != 0) return errno;
  error = build_gate_end(networks->has_ipv6);
  allow_large_packets(GATE_LINK);
  if (setns(networks->application, CLONE_NEWNET) != 0) return errno;
  if (error == 0) error = build_application_end(networks->has_ipv6);
  allow_large_packets(APPLICATION_LINK);
  if (error == 0) error = wait_until_up(APPLICATION_LINK);
  if (error != 0 || setns(networks->gate, CLONE_NEWNET) != 0) return error != 0 ? error : errno;
  error = wait_until_up(GATE_LINK);
  return setns(networks->application, CLONE_NEWNET) != 0 ? errno : error;
}

int links_alone(const struct networks *networks) {
  struct request request;
  request_clear(&request);
  // Programs ask for addresses of a family only when the machine has one that is not loopback.
  add_address(&request, LOOPBACK, AF_INET, APPLICATION_4, 32);
  if (networks->has_ipv6) add_address(&request, LOOPBACK, AF_INET6, APPLICATION_6, 128);
  // From loopback, so that what the gate answers is to loopback, which the rules let pass.
  add_everything_local(&request, networks->has_ipv6, "127.0.0.1", "::1");
  return request_send_once(&request, NETLINK_ROUTE);
}
