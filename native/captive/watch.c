// One loop over a handful of descriptors.
#define _GNU_SOURCE
#include "watch.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "refusals.h"

#define READS_MAX 1000 // at once: the kernel's log holds fewer

static void tell(const struct packet *packet, void *context) {
  const struct watched *watched = context;
  if (watched->channel >= 0) channel_tell(watched->channel, packet);
}

static void tell_all(struct watched *watched) {
  for (int index = 0; index < 2; index++) {
    for (int reads = 0; reads < READS_MAX && watched->logs[index] >= 0; reads++) {
      if (!refusals_read(watched->logs[index], tell, watched)) break;
    }
  }
}

// Whatever Node says is the one thing that it asks: to be told now what was refused. Its end of the channel may close.
static void read_channel(struct watched *watched) {
  char bytes[256];
  if (read(watched->channel, bytes, sizeof bytes) > 0) {
    tell_all(watched);
    channel_settled(watched->channel);
    return;
  }
  close(watched->channel);
  watched->channel = -1;
}

int watch_open_children(void) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  if (sigprocmask(SIG_BLOCK, &children, NULL) != 0) return -1;
  return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

// The launcher's other half is a child of ours too, and ends when the view is whole.
static bool has_ended(const struct watched *watched, int *status) {
  struct signalfd_siginfo signal;
  while (read(watched->children, &signal, sizeof signal) == (ssize_t)sizeof signal) continue;
  for (pid_t pid = waitpid(-1, status, WNOHANG); pid > 0; pid = waitpid(-1, status, WNOHANG)) {
    if (pid == watched->command) return true;
  }
  return false;
}

int watch(struct watched *watched) {
  int status = 0;
  while (!has_ended(watched, &status)) {
    struct pollfd ready[] = {{watched->children, POLLIN, 0}, {watched->channel, POLLIN, 0}, {watched->logs[0], POLLIN, 0}, {watched->logs[1], POLLIN, 0}};
    if (ppoll(ready, sizeof ready / sizeof *ready, NULL, NULL) < 0) continue; // EINTR; every descriptor is ours
    if (ready[1].revents != 0) read_channel(watched);
    for (int index = 0; index < 2; index++) {
      if (ready[2 + index].revents != 0) refusals_read(watched->logs[index], tell, watched);
    }
  }
  tell_all(watched);
  return status;
}
