// Dual-stack: an IPv4 address appears as ::ffff:a.b.c.d.
#define _GNU_SOURCE
#include "listeners.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture.h"

#define BACKLOG 4096

static int open_bound(int type) {
  const int yes = 1, no = 0;
  const int opened = socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(GATE_PORT)};
  if (opened < 0) return -1;
  const int transparent = type == SOCK_STREAM ? setsockopt(opened, SOL_IPV6, IPV6_TRANSPARENT, &yes, sizeof yes) : 0;
  if (transparent == 0 && setsockopt(opened, SOL_IPV6, IPV6_V6ONLY, &no, sizeof no) == 0 && bind(opened, (const void *)&any, sizeof any) == 0)
    return opened;
  const int error = errno;
  close(opened);
  errno = error;
  return -1;
}

int listeners_open(struct listeners *listeners) {
  listeners->tcp = open_bound(SOCK_STREAM);
  if (listeners->tcp < 0 || listen(listeners->tcp, BACKLOG) != 0) return errno;
  listeners->names = open_bound(SOCK_DGRAM);
  return listeners->names < 0 ? errno : 0;
}
