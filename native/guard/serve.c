// One poll loop over the channel, SIGCHLD, and the descriptors of every command.
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdalign.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../protocol/bytes.h"
#include "dispatch.h"
#include "kernel.h"
#include "landlock.h"
#include "self.h"

#define CHANNEL_FD 3
#define PAGE_MAX 65536 // of any machine
#define FIXED 2
#define KEEPER_WAITS_MS 10000 // for the next command
#define WAITS_MAX (FIXED + 4u * GB_SIZE_STREAMS_MAX)

enum wait_for { REPORTS, INPUT, OUTPUT, ERROR_OUTPUT };

// Only descriptors that matter now: poll takes no more entries than the descriptor limit, and reports a closed peer again and again even
// while we may not read from it.
struct waits {
  struct pollfd at[WAITS_MAX];
  struct {
    struct command *command;
    enum wait_for what;
  } of[WAITS_MAX];
  nfds_t count;
};

// What no keeper gets: the host's bytes, and every other command's. All zero at first, so that its buffers take no room before they are used.
static struct {
  alignas(PAGE_MAX) struct guard guard;
  struct waits waits;
} own;

static void wait_for(struct command *command, enum wait_for what, int fd, short events) {
  if (fd < 0) return;
  own.waits.of[own.waits.count].command = command;
  own.waits.of[own.waits.count].what = what;
  own.waits.at[own.waits.count++] = (struct pollfd){fd, events, 0};
}

static void gather_command(struct command *command, bool room) {
  const bool pending = command->pending_tail > command->pending_head || (command->slot->stdin_ended && !command->input_failed);
  wait_for(command, REPORTS, command->socket, (short)(POLLIN | (command->kill_due ? POLLOUT : 0)));
  if (pending) wait_for(command, INPUT, command->input, POLLOUT);
  if (room && command->slot->output_window[0] > 0) wait_for(command, OUTPUT, command->output[0], POLLIN);
  if (room && command->slot->output_window[1] > 0) wait_for(command, ERROR_OUTPUT, command->output[1], POLLIN);
}

static void gather(int signals) {
  const bool room = channel_has_room(&own.guard.channel);
  own.waits.at[0] = (struct pollfd){own.guard.channel.fd, (short)(POLLIN | (channel_is_empty(&own.guard.channel) ? 0 : POLLOUT)), 0};
  own.waits.at[1] = (struct pollfd){signals, POLLIN, 0};
  own.waits.count = FIXED;
  const size_t open = own.guard.session.open_count;
  for (size_t index = 0, seen = 0; seen < open && index < GB_SIZE_STREAMS_MAX; index++) {
    struct command *command = &own.guard.commands[index];
    if (command->slot == NULL) continue;
    seen++;
    if (command->slot->executed) gather_command(command, room);
  }
}

static bool attend(struct command *command, enum wait_for what) {
  switch (what) {
    case REPORTS:
      return command_read_reports(&own.guard, command);
    case INPUT:
      return command_write_input(&own.guard, command);
    case OUTPUT:
      return command_read_output(&own.guard, command, 0);
    case ERROR_OUTPUT:
      return command_read_output(&own.guard, command, 1);
  }
  return false;
}

static bool attend_commands(void) {
  for (nfds_t index = FIXED; index < own.waits.count; index++) {
    if (own.waits.at[index].revents != 0 && !attend(own.waits.of[index].command, own.waits.of[index].what)) return false;
  }
  return true;
}

static bool settle_commands(void) {
  const size_t open = own.guard.session.open_count;
  for (size_t index = 0, seen = 0; seen < open && index < GB_SIZE_STREAMS_MAX; index++) {
    struct command *command = &own.guard.commands[index];
    if (command->slot == NULL) continue;
    seen++;
    if (!command->slot->executed) continue;
    // Nobody is left to write: take what is there, as far as there is credit.
    for (int which = 0; command->tree_gone && which < 2; which++) {
      if (!command_read_output(&own.guard, command, which)) return false;
    }
    if (!command_settle(&own.guard, command)) return false;
  }
  return true;
}

static struct command *command_of(pid_t keeper) {
  for (size_t index = 0; index < GB_SIZE_STREAMS_MAX; index++) {
    if (own.guard.commands[index].keeper == keeper) return &own.guard.commands[index];
  }
  return NULL;
}

static bool reap_children(int signals) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == (ssize_t)sizeof info) continue;
  for (;;) {
    const pid_t pid = waitpid(-1, NULL, WNOHANG | __WALL);
    if (pid <= 0) return true;
    struct command *command = command_of(pid);
    if (command != NULL && !command_lose_keeper(&own.guard, command)) return false;
    keepers_lose(&own.guard.keepers, pid);
  }
}

static int run(int signals) {
  for (;;) {
    if (channel_flush(&own.guard.channel) == CHANNEL_ENDED) return GB_EXIT_CLOSED;
    if (own.guard.session.open_count == 0) keepers_refill(&own.guard.keepers, &own.guard.wall, own.guard.proc);
    gather(signals);
    const int ready = poll(own.waits.at, own.waits.count, own.guard.keepers.waiting == 0 ? -1 : KEEPER_WAITS_MS);
    if (ready < 0 && errno != EINTR) return GB_EXIT_INTERNAL;
    if (ready == 0) keepers_rest(&own.guard.keepers);
    if (own.waits.at[1].revents != 0 && !reap_children(signals)) return GB_EXIT_INTERNAL;
    if (!attend_commands()) return GB_EXIT_INTERNAL;
    if ((own.waits.at[0].revents & ~POLLOUT) != 0) {
      if (channel_fill(&own.guard.channel) == CHANNEL_ENDED) return GB_EXIT_CLOSED;
      const int status = dispatch_frames(&own.guard);
      if (status >= 0) return status;
    }
    if (!settle_commands()) return GB_EXIT_INTERNAL;
  }
}

// What is ignored stays so beyond execve(2), for each command to come.
static void ignore_nothing(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL); // SIGKILL and SIGSTOP refuse, and need nothing
}

int guard_serve(uint32_t layers) {
  ignore_nothing();
  sigset_t all;
  sigfillset(&all);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  own.guard.channel.fd = CHANNEL_FD;
  own.guard.session.epoch = 1;
  own.guard.proc = -1;
  own.guard.wall = (struct wall){.layers = layers, .ruleset = -1};
  const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (sigprocmask(SIG_SETMASK, &all, NULL) != 0 || signals < 0) return GB_EXIT_INTERNAL;
  if (fcntl(CHANNEL_FD, F_SETFD, FD_CLOEXEC) != 0) return GB_EXIT_USAGE; // the host did not give us a channel
  if (fcntl(CHANNEL_FD, F_SETFL, fcntl(CHANNEL_FD, F_GETFL) | O_NONBLOCK) != 0) return GB_EXIT_USAGE;
  if (!self_protect(&own.guard) || madvise(&own, sizeof own, MADV_DONTFORK) != 0) return GB_EXIT_INTERNAL;
  if (!dispatch_hello(&own.guard)) return GB_EXIT_INTERNAL;
  // The host's part usually lies here already: then READY goes out with HELLO.
  if (channel_fill(&own.guard.channel) == CHANNEL_ENDED) return GB_EXIT_CLOSED;
  int status = dispatch_frames(&own.guard);
  if (status < 0) status = run(signals);
  channel_flush(&own.guard.channel); // the reason, as far as the host takes it
  return status;
}

int guard_serve_gvisor(uint32_t layers) {
  if (landlock_abi() != 0) return GB_EXIT_WALL;
  kernel_be_gvisor();
  // Nothing reads the streams of the guard; a closed number would be taken by what is opened next.
  if (dup2(STDIN_FILENO, CHANNEL_FD) != CHANNEL_FD || dup2(STDERR_FILENO, STDIN_FILENO) != STDIN_FILENO) return GB_EXIT_USAGE;
  return guard_serve(layers & ~(GB_LAYER_LANDLOCK | GB_LAYER_MEDIATION));
}
