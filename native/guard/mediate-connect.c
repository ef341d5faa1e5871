// Every connect, on a copy of the caller's socket and with the address as it was read once. None is continued: another thread could put
// another address, or another socket, in the place of what was checked. A path leads only to what listens in this network namespace.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "../cleanup.h"
#include "interruption.h"
#include "crew.h"
#include "listening.h"
#include "mediate.h"
#include "mediator.h"

#define NAME_SERVER_PORT 53
#define SIN6_LEN_RFC2133 24 // as the kernel: the scope may be left out
#define PATH_HEAD offsetof(struct sockaddr_un, sun_path)

struct address {
  socklen_t length;
  union {
    struct sockaddr any;
    struct sockaddr_un name;
    struct sockaddr_storage storage;
  };
  char end; // of the longest path
};

struct connection {
  const struct caller *caller;
  int socket; // our copy
  int domain, type;
};

static int option(int socket, int name) {
  int value = -1;
  socklen_t length = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

static bool may_wait(const struct connection *connection) {
  const int flags = fcntl(connection->socket, F_GETFL);
  const bool streams = connection->type == SOCK_STREAM || connection->type == SOCK_SEQPACKET;
  return streams && connection->domain != AF_NETLINK && (flags & O_NONBLOCK) == 0;
}

static struct answer connect_now(const struct connection *connection, const struct address *address) {
  if (!caller_waits(connection->caller)) return answer_error(EINTR); // nobody reads it
  if (!may_wait(connection)) return answer_result(connect(connection->socket, &address->any, address->length));
  if (!crew_begin_wait()) {
    mediator_report("-", GB_CALL_CONNECT, GB_RULE_CROWDED, EAGAIN);
    return answer_error(EAGAIN);
  }
  const int error = connect_interruptibly(connection->caller, connection->socket, &address->any, address->length);
  crew_end_wait();
  return answer_error(error);
}

static int open_file(const struct caller *caller, const char *path) {
  const char *rest;
  AUTO_CLOSE int base = -1;
  if (!caller_start(caller, AT_FDCWD, path, &base, &rest)) return -1;
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, base, rest, &how, sizeof how);
}

// As a socket that nobody listens at: programs take that for a server that has gone, and ours cannot be told from such a one.
static struct answer refuse(int file) {
  mediator_report_file(file, GB_CALL_CONNECT, GB_RULE_HOST_SOCKET, ECONNREFUSED);
  return answer_error(ECONNREFUSED);
}

// By descriptor from here on, so that no link or rename counts any more. What is no socket the kernel refuses in its own words.
static struct answer connect_file(const struct connection *connection, const char *path) {
  AUTO_CLOSE const int file = open_file(connection->caller, path);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return answer_error(errno);
  if (S_ISSOCK(status.st_mode) && !listens_here(file, &status)) return refuse(file);
  struct address address = {.name = {.sun_family = AF_UNIX}};
  const int length = snprintf(address.name.sun_path, sizeof address.name.sun_path, "/proc/self/fd/%d", file);
  address.length = (socklen_t)(PATH_HEAD + (size_t)length + 1);
  return connect_now(connection, &address);
}

static struct answer connect_unix(const struct connection *connection, const struct address *address) {
  if (connection->type != SOCK_STREAM && connection->type != SOCK_SEQPACKET) return answer_error(EACCES);
  const bool has_path = address->length > PATH_HEAD && address->any.sa_family == AF_UNIX && address->name.sun_path[0] != '\0';
  if (!has_path) return connect_now(connection, address); // abstract, or no address at all
  if (address->length > sizeof address->name) return answer_error(EINVAL);
  char path[sizeof address->name.sun_path + 1] = {0};
  memcpy(path, address->name.sun_path, address->length - PATH_HEAD);
  return connect_file(connection, path);
}

// Where there is nothing but the loopback. When it cannot be told there is more: nothing is said that may be false.
static bool has_no_network(void) {
  struct if_nameindex *interfaces = if_nameindex();
  if (interfaces == NULL) return false;
  bool only_loopback = true;
  for (const struct if_nameindex *at = interfaces; at->if_index != 0; at++) {
    if (strcmp(at->if_name, "lo") != 0) only_loopback = false;
  }
  if_freenameindex(interfaces);
  return only_loopback;
}

// A name server that the host has on its own loopback is as far away as any: nobody inside may listen at its port.
static bool leads_out(int error, uint16_t port) {
  return error == ENETUNREACH || port == NAME_SERVER_PORT;
}

static void tell_of_no_network(const void *host, int family, uint16_t port, int error) {
  char text[INET6_ADDRSTRLEN], line[INET6_ADDRSTRLEN + sizeof " port 65535"];
  if (!leads_out(error, port) || inet_ntop(family, host, text, sizeof text) == NULL || !has_no_network()) return;
  snprintf(line, sizeof line, "%s port %u", text, port);
  mediator_report(line, GB_CALL_CONNECT, GB_RULE_NO_NETWORK, (uint32_t)(error == 0 ? ECONNREFUSED : error));
}

static struct answer connect_internet(const struct connection *connection, const struct address *address) {
  const struct answer answer = connect_now(connection, address);
  const struct sockaddr_in *four = (const struct sockaddr_in *)&address->storage;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->storage;
  if (address->any.sa_family == AF_INET && address->length >= sizeof *four)
    tell_of_no_network(&four->sin_addr, AF_INET, ntohs(four->sin_port), answer.error);
  else if (address->any.sa_family == AF_INET6 && address->length >= SIN6_LEN_RFC2133)
    tell_of_no_network(&six->sin6_addr, AF_INET6, ntohs(six->sin6_port), answer.error);
  return answer;
}

struct answer mediate_connect(const struct caller *caller, int descriptor, uint64_t at, int length) {
  struct address address = {.length = (socklen_t)length};
  AUTO_CLOSE const int copy = caller_copy_descriptor(caller, descriptor);
  if (copy < 0) return answer_error(errno);
  const struct connection connection = {caller, copy, option(copy, SO_DOMAIN), option(copy, SO_TYPE)};
  if (connection.domain < 0) return answer_error(errno);
  if (length < 0 || (size_t)length > sizeof address.storage) return answer_error(EINVAL);
  if (length > 0 && !caller_read(caller, at, &address.storage, (size_t)length)) return answer_error(EFAULT);
  switch (connection.domain) {
    case AF_UNIX:
      return connect_unix(&connection, &address);
    case AF_INET:
    case AF_INET6:
      return connect_internet(&connection, &address);
    case AF_NETLINK:
      return connect_now(&connection, &address);
    default:
      return answer_error(EAFNOSUPPORT);
  }
}
