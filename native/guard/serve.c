// One poll loop over the channel, SIGCHLD, and the descriptors of every command.
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../protocol/bytes.h"
#include "dispatch.h"
#include "self.h"

#define CHANNEL_FD 3
#define FIXED 2
#define WAITS_MAX (FIXED + 4u * GB_SIZE_STREAMS_MAX)

enum wait_for { REPORTS, INPUT, OUTPUT, ERROR_OUTPUT };

static struct guard guard; // all zero at first, so that its buffers take no room before they are used

// Only descriptors that matter now: poll takes no more entries than the descriptor limit, and reports a closed peer again and again even
// while we may not read from it.
static struct {
  struct pollfd at[WAITS_MAX];
  struct {
    struct command *command;
    enum wait_for what;
  } of[WAITS_MAX];
  nfds_t count;
} waits;

static void wait_for(struct command *command, enum wait_for what, int fd, short events) {
  if (fd < 0) return;
  waits.of[waits.count].command = command;
  waits.of[waits.count].what = what;
  waits.at[waits.count++] = (struct pollfd){fd, events, 0};
}

static void gather_command(struct command *command, bool room) {
  const bool pending = command->pending_tail > command->pending_head || (command->slot->stdin_ended && !command->input_failed);
  wait_for(command, REPORTS, command->socket, (short)(POLLIN | (command->kill_due ? POLLOUT : 0)));
  if (pending) wait_for(command, INPUT, command->input, POLLOUT);
  if (room && command->slot->output_window[0] > 0) wait_for(command, OUTPUT, command->output[0], POLLIN);
  if (room && command->slot->output_window[1] > 0) wait_for(command, ERROR_OUTPUT, command->output[1], POLLIN);
}

static void gather(int signals) {
  const bool room = channel_has_room(&guard.channel);
  waits.at[0] = (struct pollfd){guard.channel.fd, (short)(POLLIN | (channel_is_empty(&guard.channel) ? 0 : POLLOUT)), 0};
  waits.at[1] = (struct pollfd){signals, POLLIN, 0};
  waits.count = FIXED;
  for (size_t index = 0; index < GB_SIZE_STREAMS_MAX; index++) {
    struct command *command = &guard.commands[index];
    if (command->slot != NULL && command->slot->executed) gather_command(command, room);
  }
}

static bool attend(struct command *command, enum wait_for what) {
  switch (what) {
    case REPORTS:
      return command_read_reports(&guard, command);
    case INPUT:
      return command_write_input(&guard, command);
    case OUTPUT:
      return command_read_output(&guard, command, 0);
    case ERROR_OUTPUT:
      return command_read_output(&guard, command, 1);
  }
  return false;
}

static bool attend_commands(void) {
  for (nfds_t index = FIXED; index < waits.count; index++) {
    if (waits.at[index].revents != 0 && !attend(waits.of[index].command, waits.of[index].what)) return false;
  }
  return true;
}

static bool settle_commands(void) {
  for (size_t index = 0; index < GB_SIZE_STREAMS_MAX; index++) {
    struct command *command = &guard.commands[index];
    if (command->slot == NULL || !command->slot->executed) continue;
    // Nobody is left to write: take what is there, as far as there is credit.
    for (int which = 0; command->tree_gone && which < 2; which++) {
      if (!command_read_output(&guard, command, which)) return false;
    }
    if (!command_settle(&guard, command)) return false;
  }
  return true;
}

static struct command *command_of(pid_t keeper) {
  for (size_t index = 0; index < GB_SIZE_STREAMS_MAX; index++) {
    if (guard.commands[index].keeper == keeper) return &guard.commands[index];
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
    if (command != NULL && !command_lose_keeper(&guard, command)) return false;
    keepers_lose(&guard.keepers, pid);
  }
}

static int run(int signals) {
  for (;;) {
    if (channel_flush(&guard.channel) == CHANNEL_ENDED) return GB_EXIT_CLOSED;
    if (guard.session.open_count == 0) keepers_refill(&guard.keepers, &guard.wall, guard.proc);
    gather(signals);
    if (poll(waits.at, waits.count, -1) < 0 && errno != EINTR) return GB_EXIT_INTERNAL;
    if (waits.at[1].revents != 0 && !reap_children(signals)) return GB_EXIT_INTERNAL;
    if (!attend_commands()) return GB_EXIT_INTERNAL;
    if ((waits.at[0].revents & ~POLLOUT) != 0) {
      if (channel_fill(&guard.channel) == CHANNEL_ENDED) return GB_EXIT_CLOSED;
      const int status = dispatch_frames(&guard);
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
  guard.channel.fd = CHANNEL_FD;
  guard.session.epoch = 1;
  guard.proc = -1;
  guard.wall = (struct wall){.layers = layers, .ruleset = -1};
  const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (sigprocmask(SIG_SETMASK, &all, NULL) != 0 || signals < 0) return GB_EXIT_INTERNAL;
  if (fcntl(CHANNEL_FD, F_SETFD, FD_CLOEXEC) != 0) return GB_EXIT_USAGE; // the host did not give us a channel
  if (fcntl(CHANNEL_FD, F_SETFL, fcntl(CHANNEL_FD, F_GETFL) | O_NONBLOCK) != 0) return GB_EXIT_USAGE;
  if (!self_protect(&guard)) return GB_EXIT_INTERNAL;
  if (!dispatch_hello(&guard)) return GB_EXIT_INTERNAL;
  // The host's part usually lies here already: then READY goes out with HELLO.
  if (channel_fill(&guard.channel) == CHANNEL_ENDED) return GB_EXIT_CLOSED;
  int status = dispatch_frames(&guard);
  if (status < 0) status = run(signals);
  channel_flush(&guard.channel); // the reason, as far as the host takes it
  return status;
}
