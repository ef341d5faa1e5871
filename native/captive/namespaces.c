// INVARIANT: uid 0 of the user namespace that owns the networks is nobody inside. The kernel lets it write their settings, also without any
// capability. An ordinary user's has no uid 0; root's networks belong to the host's, of which a container has nobody.
#define _GNU_SOURCE
#include "namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../cleanup.h"

static int write_text(const char *path, const char *text) {
  AUTO_CLOSE const int file = open(path, O_WRONLY | O_CLOEXEC);
  return file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : errno;
}

static int map_id(const char *path, unsigned id) {
  char line[64];
  snprintf(line, sizeof line, "%u %u 1\n", id, id);
  return write_text(path, line);
}

static int own_everything(unsigned user, unsigned group) {
  if (user == 0) return unshare(CLONE_NEWNET) == 0 ? 0 : errno;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return errno;
  int error = write_text("/proc/self/setgroups", "deny");
  if (error == 0) error = map_id("/proc/self/uid_map", user);
  return error == 0 ? map_id("/proc/self/gid_map", group) : error;
}

static int open_network(void) {
  return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static bool has_ipv6(void) {
  AUTO_CLOSE const int probe = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return probe >= 0;
}

int namespaces_make(struct networks *networks) {
  int error = own_everything(geteuid(), getegid());
  if (error != 0) return error;
  networks->gate = open_network();
  if (networks->gate < 0 || unshare(CLONE_NEWNET) != 0) return errno;
  networks->application = open_network();
  if (networks->application < 0) return errno;
  networks->has_ipv6 = has_ipv6();
  // Whatever is inside may serve any port of its own.
  return write_text("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
}
