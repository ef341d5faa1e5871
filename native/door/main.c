// door SOCKET: accepts the connections of the broker's door and hands those on to it that come from its own user and namespaces. Node can do neither:
// it knows no peer credentials. It reads not a byte of what a peer says.
//
// Descriptor 3 is the broker's `ipc` channel; when that ends, or the broker does, so does this.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../cleanup.h"
#include "../shared/node-channel.h"
#include "peer.h"

#define CHANNEL 3
#define BACKLOG 128
// Without descriptors or memory a connection stays in the queue, and would wake us again at once.
#define SHORTAGE_MS 100

enum { STATUS_ENDED = 0, STATUS_USAGE = 100, STATUS_SOCKET = 101, STATUS_CHANNEL = 102 };

static int fail(int status, const char *step) {
  fprintf(stderr, "door: %s %s\n", step, strerrorname_np(errno));
  return status;
}

// The broker holds its lock: a socket that lies there is a dead broker's.
static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, path);
  if (unlink(path) != 0 && errno != ENOENT) return -1;
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  umask(0177);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, BACKLOG) == 0) return listener;
  cleanup_close(&listener);
  return -1;
}

enum taken { TAKEN, SHORTAGE, BROKER_GONE };

static enum taken take_one(int listener) {
  AUTO_CLOSE const int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (peer < 0) return node_is_shortage(errno) ? SHORTAGE : TAKEN; // else it went away again
  const pid_t pid = peer_of_ours(peer);
  if (pid == 0) return node_send(CHANNEL, "{\"kind\":\"refused\"}\n", -1, MSG_DONTWAIT) == EPIPE ? BROKER_GONE : TAKEN;
  char line[128];
  snprintf(line, sizeof line, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Socket\",\"msg\":{\"kind\":\"connection\",\"pid\":%d}}\n", (int)pid);
  const int error = node_hand_over(CHANNEL, line, peer);
  if (error == 0) return TAKEN;
  return node_is_shortage(error) ? SHORTAGE : BROKER_GONE; // this one is turned away
}

int main(int argc, char **argv) {
  if (argc != 2 || argv[1][0] != '/') {
    fputs("usage: door SOCKET (with the broker's channel on descriptor 3)\n", stderr);
    return STATUS_USAGE;
  }
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  AUTO_CLOSE const int listener = listen_at(argv[1]);
  if (listener < 0) return fail(STATUS_SOCKET, "socket");
  if (node_send(CHANNEL, "{\"kind\":\"listening\"}\n", -1, 0) != 0) return fail(STATUS_CHANNEL, "channel");
  enum taken last = TAKEN;
  while (last != BROKER_GONE) {
    struct pollfd ready[] = {{CHANNEL, POLLIN, 0}, {listener, POLLIN, 0}};
    const bool is_short = last == SHORTAGE;
    if (poll(ready, is_short ? 1 : 2, is_short ? SHORTAGE_MS : -1) < 0) continue; // EINTR; both are ours
    if (ready[0].revents != 0) return STATUS_ENDED; // the broker says nothing unasked: its end of the channel closed
    last = ready[1].revents == 0 ? TAKEN : take_one(listener);
  }
  return STATUS_CHANNEL;
}
