// Dual-stack: an IPv4 address appears as ::ffff:a.b.c.d.
#define _GNU_SOURCE
#include "listeners.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture.h"

#define BACKLOG 4096

static int bind_6(int opened, int type) {
  const int yes = 1, no = 0;
  const struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(GATE_PORT)};
  if (type == SOCK_STREAM && setsockopt(opened, SOL_IPV6, IPV6_TRANSPARENT, &yes, sizeof yes) != 0) return -1;
  if (setsockopt(opened, SOL_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0) return -1;
  return bind(opened, (const void *)&any, sizeof any);
}

static int bind_4(int opened, int type) {
  const int yes = 1;
  const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(GATE_PORT)};
  if (type == SOCK_STREAM && setsockopt(opened, SOL_IP, IP_TRANSPARENT, &yes, sizeof yes) != 0) return -1;
  return bind(opened, (const void *)&any, sizeof any);
}

static int open_bound(int type, bool has_ipv6) {
  const int opened = socket(has_ipv6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (opened < 0 || (has_ipv6 ? bind_6(opened, type) : bind_4(opened, type)) == 0) return opened;
  const int error = errno;
  close(opened);
  errno = error;
  return -1;
}

// What a connection is accepted from it inherits: the gate has nothing to set on each.
static int send_at_once(int listener) {
  const int yes = 1;
  return setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

int listeners_open(struct listeners *listeners, bool has_ipv6) {
  listeners->has_ipv6 = has_ipv6;
  listeners->tcp = open_bound(SOCK_STREAM, has_ipv6);
  if (listeners->tcp < 0 || send_at_once(listeners->tcp) != 0 || listen(listeners->tcp, BACKLOG) != 0) return errno;
  listeners->names = open_bound(SOCK_DGRAM, has_ipv6);
  return listeners->names < 0 ? errno : 0;
}
