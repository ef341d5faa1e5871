// One process for each direction: neither can hold up the other.
#define _GNU_SOURCE
#include "dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cleanup.h"
#include "../protocol.h"
#include "collected.h"

#define BUFFER_BYTES 65536

static int connect_to(const struct sockaddr *address, socklen_t length) {
  const int connection = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection >= 0 && connect(connection, address, length) == 0) return connection;
  cleanup_close(&connection);
  return -1;
}

static int connect_to_loopback(uint16_t port) {
  const struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int connection = connect_to((const struct sockaddr *)&four, sizeof four);
  if (connection >= 0) return connection;
  const struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  return connect_to((const struct sockaddr *)&six, sizeof six);
}

// True when it came to the end of what is to be read.
static bool pump(int from, int to) {
  char bytes[BUFFER_BYTES];
  for (;;) {
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    if (!write_whole(to, bytes, (size_t)got)) return false;
  }
}

// Nothing more comes: the host hears it when nobody holds them any more.
static void end_output(void) {
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
}

static int send_input(int connection) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  end_output();
  pump(STDIN_FILENO, connection);
  shutdown(connection, SHUT_WR);
  return 0;
}

int guard_dial(const char *port) {
  char *end;
  const unsigned long number = strtoul(port, &end, 10);
  if (*port == '\0' || *end != '\0' || number < 1 || number > UINT16_MAX) return GB_EXIT_USAGE;
  signal(SIGPIPE, SIG_IGN);
  AUTO_CLOSE const int connection = connect_to_loopback((uint16_t)number);
  if (connection < 0) return 1;
  const pid_t sender = fork();
  if (sender < 0) return GB_EXIT_INTERNAL;
  if (sender == 0) _exit(send_input(connection));
  const bool is_whole = pump(connection, STDOUT_FILENO);
  end_output();
  if (!is_whole) kill(sender, SIGKILL); // else the server may have shut down one direction alone
  waitpid(sender, NULL, 0);
  return 0;
}
