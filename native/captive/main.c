// captive --channel N [--become UID] [--one-network] -- COMMAND [ARGUMENT...]
// captive --probe [--one-network]
//
// Starts COMMAND (absolute path, normally bubblewrap) in a network of its own, out of which nothing leads but two sockets: one takes every
// TCP connection, one every question for a name. They are handed to Node over descriptor N. Ends with COMMAND, and COMMAND with it.
// --become is for root, whose command has to stay root: the networks belong to nobody, and this program becomes UID for its watching.
// --probe builds the network, prints which form it has, and ends.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "become.h"
#include "capture.h"
#include "channel.h"
#include "command.h"
#include "failure.h"
#include "links.h"
#include "listeners.h"
#include "namespaces.h"
#include "refusals.h"
#include "seal.h"
#include "watch.h"

#define CHANNEL_MAX 4096
#define FIRST_INHERITED 3 // before it are the standard streams
#define UID_MIN 1000u     // below are accounts of the system
#define UID_MAX 4294967293u

struct options {
  int channel; // -1: a probe
  uid_t watcher; // 0: whoever starts it
  bool one_network;
  char **command;
};

static bool parse_channel(const char *text, int *channel) {
  char *end;
  const long value = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || value < FIRST_INHERITED || value > CHANNEL_MAX) return false;
  *channel = (int)value;
  return true;
}

static bool parse_watcher(const char *text, uid_t *watcher) {
  char *end;
  const unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || value < UID_MIN || value > UID_MAX) return false;
  *watcher = (uid_t)value;
  return true;
}

static bool parse_options(char **argv, struct options *options) {
  *options = (struct options){.channel = -1};
  char **at = argv + 1;
  const bool is_probe = *at != NULL && strcmp(*at, "--probe") == 0;
  if (is_probe) {
    at++;
  } else {
    if (*at == NULL || strcmp(*at, "--channel") != 0 || at[1] == NULL || !parse_channel(at[1], &options->channel)) return false;
    at += 2;
    if (*at != NULL && strcmp(*at, "--become") == 0) {
      if (at[1] == NULL || !parse_watcher(at[1], &options->watcher)) return false;
      at += 2;
    }
  }
  options->one_network = *at != NULL && strcmp(*at, "--one-network") == 0;
  if (options->one_network) at++;
  if (is_probe) return *at == NULL;
  options->command = at + 1;
  return *at != NULL && strcmp(*at, "--") == 0 && at[1] != NULL && at[1][0] == '/';
}

struct built {
  struct listeners listeners;
  int logs[2];
  bool is_alone;
};

static int build_alone(const struct networks *networks, struct built *built) {
  int error = links_alone(networks);
  if (error != 0) return failure(STEP_LINKS, error);
  error = capture_alone();
  if (error != 0) return failure(STEP_RULES, error);
  error = listeners_open(&built->listeners, networks->has_ipv6);
  if (error != 0) return failure(STEP_LISTENERS, error);
  built->logs[0] = refusals_open();
  return built->logs[0] < 0 ? failure(STEP_LOG, errno) : 0;
}

// In the gate's network; the caller returns to the application's.
static int build_gate(const struct networks *networks, struct built *built) {
  int error = capture_in_gate();
  if (error != 0) return failure(STEP_RULES, error);
  error = listeners_open(&built->listeners, networks->has_ipv6);
  if (error != 0) return failure(STEP_LISTENERS, error);
  built->logs[1] = refusals_open();
  return built->logs[1] < 0 ? failure(STEP_LOG, errno) : 0;
}

static int build_pair(const struct networks *networks, struct built *built) {
  if (setns(networks->gate, CLONE_NEWNET) != 0) return failure(STEP_NAMESPACES, errno);
  const int status = build_gate(networks, built);
  if (setns(networks->application, CLONE_NEWNET) != 0) return failure(STEP_NAMESPACES, errno);
  if (status != 0) return status;
  const int error = refuse_in_application();
  if (error != 0) return failure(STEP_RULES, error);
  built->logs[0] = refusals_open();
  return built->logs[0] < 0 ? failure(STEP_LOG, errno) : 0;
}

// Nothing can run in the network yet.
static int build(const struct networks *networks, bool one_network, struct built *built) {
  *built = (struct built){.listeners = {-1, -1, false}, .logs = {-1, -1}};
  const int error = one_network ? links_up() : links_join(networks);
  built->is_alone = one_network || error == EOPNOTSUPP; // this kernel has no pairs of interfaces
  if (error != 0 && !built->is_alone) return failure(STEP_LINKS, error);
  return built->is_alone ? build_alone(networks, built) : build_pair(networks, built);
}

static int prepare_channel(int channel) {
  const int flags = fcntl(channel, F_GETFL);
  // Node may have made it so that a read does not wait.
  if (flags < 0 || fcntl(channel, F_SETFL, flags & ~O_NONBLOCK) != 0) return errno;
  return fcntl(channel, F_SETFD, FD_CLOEXEC) == 0 ? 0 : errno;
}

static int ascending(const void *left, const void *right) {
  return *(const int *)left - *(const int *)right;
}

// What the command has inherited is its alone: an end of a channel that stayed open here would hide that the command's was closed.
static void close_inherited(int channel, const struct networks *networks) {
  int kept[] = {channel, networks->gate, networks->application};
  qsort(kept, sizeof kept / sizeof *kept, sizeof *kept, ascending);
  unsigned first = FIRST_INHERITED;
  for (size_t index = 0; index < sizeof kept / sizeof *kept; index++) {
    if ((unsigned)kept[index] > first) syscall(SYS_close_range, first, (unsigned)kept[index] - 1, 0);
    first = (unsigned)kept[index] + 1;
  }
  syscall(SYS_close_range, first, ~0u, 0);
}

static int end_with(pid_t parent) {
  // It may have died before this line.
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent ? 0 : failure(STEP_PARENT, ESRCH);
}

static int enter_namespaces(struct networks *networks, pid_t parent) {
  const int error = namespaces_make(networks);
  return error == 0 ? end_with(parent) : failure(STEP_NAMESPACES, error);
}

static int stop_being_root(uid_t watcher, pid_t parent) {
  const int error = watcher == 0 ? 0 : become_watcher(watcher);
  return error == 0 ? end_with(parent) : failure(STEP_IDENTITY, error);
}

static int probe(bool one_network, pid_t parent) {
  struct networks networks;
  struct built built;
  int status = enter_namespaces(&networks, parent);
  if (status == 0) status = build(&networks, one_network, &built);
  if (status == 0) puts(built.is_alone ? "one" : "two");
  return status;
}

static int make_captive(const struct options *options, const struct networks *networks, struct watched *watched, pid_t parent) {
  struct built built;
  int status = build(networks, options->one_network, &built);
  if (status != 0) return status;
  int error = channel_hand_over(options->channel, &built.listeners, built.is_alone);
  if (error != 0) return failure(STEP_CHANNEL, error);
  // The gate has them: while they were open here, its closing them would end nothing.
  close(built.listeners.tcp);
  close(built.listeners.names);
  close(networks->gate);
  close(networks->application);
  watched->channel = options->channel;
  memcpy(watched->logs, built.logs, sizeof built.logs);
  status = stop_being_root(options->watcher, parent);
  if (status != 0) return status;
  error = seal();
  return error == 0 ? 0 : failure(STEP_SEAL, error);
}

static int run(const struct options *options, pid_t parent) {
  struct networks networks;
  const int error = prepare_channel(options->channel);
  if (error != 0) return failure(STEP_CHANNEL, error);
  int status = enter_namespaces(&networks, parent);
  if (status != 0) return status;
  // It builds its own walls meanwhile, and whoever runs programs behind them waits for the gate.
  const pid_t command = command_start(options->command);
  if (command < 0) return failure(STEP_EXEC, errno);
  close_inherited(options->channel, &networks);
  struct watched watched = {.command = command, .children = watch_open_children()};
  status = watched.children < 0 ? failure(STEP_EXEC, errno) : make_captive(options, &networks, &watched, parent);
  if (status != 0) {
    command_stop(command);
    return status;
  }
  return command_status(watch(&watched));
}

int main(int argc, char **argv) {
  const pid_t parent = getppid();
  struct options options;
  if (argc < 2 || !parse_options(argv, &options)) return failure(STEP_USAGE, EINVAL);
  const bool is_root = getuid() == 0 || geteuid() == 0;
  if (is_root != (options.watcher != 0)) return failure(STEP_IDENTITY, EPERM);
  return options.channel < 0 ? probe(options.one_network, parent) : run(&options, parent);
}
