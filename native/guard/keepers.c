// A keeper that waits is ready but for what its command asks for: forked, its descriptors closed, its threads there. It is used once, as every other, so that
// nothing of one command reaches the next.
#define _GNU_SOURCE
#include "keepers.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cleanup.h"
#include "keeper.h"

// `errand` NULL: it will come. The wall lies among what no keeper gets.
static int make(const struct errand *errand, const struct wall *wall, int proc, struct keeper_end *end) {
  const struct wall copy = *wall;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  const pid_t pid = fork();
  if (pid == 0) keeper_run(errand, &copy, ends[1], proc);
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return error;
  }
  *end = (struct keeper_end){pid, ends[0]};
  return 0;
}

void keepers_leave(struct keepers *keepers, pid_t pid) {
  keepers->leaving[keepers->leaving_count++] = pid;
}

static void send_away(struct keepers *keepers) {
  if (keepers->waiting == 0) return;
  close(keepers->socket);
  keepers_leave(keepers, keepers->waiting);
  keepers->waiting = 0;
}

int keepers_start(struct keepers *keepers, const struct errand *errand, const struct wall *wall, int proc, struct keeper_end *end) {
  keepers->is_due = true;
  if (keepers->waiting != 0 && errand_send(keepers->socket, errand)) {
    *end = (struct keeper_end){keepers->waiting, keepers->socket};
    keepers->waiting = 0;
    return 0;
  }
  send_away(keepers);
  while (keepers->leaving_count > 0) waitpid(keepers->leaving[--keepers->leaving_count], NULL, __WALL); // they wait for nothing
  return make(errand, wall, proc, end);
}

void keepers_refill(struct keepers *keepers, const struct wall *wall, int proc) {
  if (!keepers->is_due || keepers->waiting != 0 || keepers->leaving_count > 0) return;
  struct keeper_end end;
  keepers->is_due = false;
  if (make(NULL, wall, proc, &end) != 0) return; // the next command has a new one made
  keepers->waiting = end.pid;
  keepers->socket = end.socket;
}

void keepers_rest(struct keepers *keepers) {
  send_away(keepers);
}

void keepers_lose(struct keepers *keepers, pid_t pid) {
  if (pid == keepers->waiting) send_away(keepers);
  for (size_t index = 0; index < keepers->leaving_count; index++) {
    if (keepers->leaving[index] != pid) continue;
    keepers->leaving[index] = keepers->leaving[--keepers->leaving_count];
    return;
  }
}
