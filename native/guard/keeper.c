// The keeper's life: start the command, report, obey orders, reap, and leave last.
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cleanup.h"
#include "child.h"
#include "crew.h"
#include "descriptors.h"
#include "handover.h"
#include "kernel.h"
#include "mediator.h"
#include "pointer.h"
#include "sweep.h"
#include "shared-lock.h"
#include "touch.h"
#include "turn.h"

#define KEPT_MAX 8
#define LOST_MS 50
#define SWEEP_AGAIN_MS 10 // while a tree dies; a child that was born during a sweep is found by the next

struct keeper {
  int socket, proc, signals;
  pid_t command; // 0 once reaped
  bool mediates;
  bool killing;
  bool has_exit; // not told yet
  bool has_lost; // what is left of the tree has another parent, and no signal tells of its end
  struct report exit;
};

static void send_reports(const struct keeper *keeper, const struct report *reports, size_t count) {
  if (send(keeper->socket, reports, count * sizeof *reports, MSG_NOSIGNAL) != (ssize_t)(count * sizeof *reports)) _exit(1);
}

// From the mediator's threads: a packet is whole, whoever sends it.
static int reports = -1;

static void report_refusal(uint32_t call, uint32_t error, uint32_t rule, const char *path, uint32_t length) {
  struct refusal_report report = {.kind = REPORT_REFUSED, .call = call, .error = error, .rule = rule};
  if (length > sizeof report.path) length = sizeof report.path;
  memcpy(report.path, path, length);
  const size_t size = offsetof(struct refusal_report, path) + length;
  if (send(reports, &report, size, MSG_NOSIGNAL) != (ssize_t)size) _exit(1);
}

static void report_file_limit(uint64_t length) {
  const struct report report = {.kind = REPORT_FILE_LIMIT, .length = length};
  if (send(reports, &report, sizeof report, MSG_NOSIGNAL) != (ssize_t)sizeof report) _exit(1);
}

// A keeper must hold no end of the guard's channel and of other commands' pipes: each would stay open as long as this command lives.
static void close_all_but(const int streams[3], const struct wall *wall, int socket, int proc) {
  int kept[KEPT_MAX] = {streams[0], streams[1], streams[2], wall->ruleset, socket, proc, touch_descriptor(), shared_lock_descriptor()};
  descriptors_close_but(kept, KEPT_MAX);
}

static pid_t start(const struct child_plan *plan, volatile struct child_failure *failure) {
  const pid_t pid = vfork(); // the parent waits until the child executes or ends, so the failure it wrote can be read at once
  if (pid == 0) child_run(plan, failure);
  return pid;
}

static void report_failure(const struct keeper *keeper, const struct child_failure *failure) {
  struct report report = {.kind = REPORT_NOT_STARTED, .first = failure->stage, .second = failure->error};
  if (failure->wall.wall != 0) report = (struct report){.kind = REPORT_WALL_MISSING, .first = failure->wall.wall, .second = failure->wall.error};
  send_reports(keeper, &report, 1);
}

static uint64_t microseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static struct report exit_report(int status, const struct rusage *usage) {
  const bool signalled = WIFSIGNALED(status);
  return (struct report){
      .kind = REPORT_EXITED,
      .first = signalled ? GB_EXITED_SIGNAL : GB_EXITED_CODE,
      .second = (uint32_t)(signalled ? WTERMSIG(status) : WEXITSTATUS(status)),
      .user_us = microseconds(usage->ru_utime),
      .system_us = microseconds(usage->ru_stime),
      .resident_bytes = (uint64_t)usage->ru_maxrss * 1024u,
  };
}

static void tell_exit(struct keeper *keeper) {
  if (keeper->has_exit) send_reports(keeper, &keeper->exit, 1);
  keeper->has_exit = false;
}

// Reaps what has ended. False when no child, and so no descendant, is left: then how the command ended is told with what comes last.
static bool reap(struct keeper *keeper) {
  for (;;) {
    int status;
    struct rusage usage;
    const pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid == 0) tell_exit(keeper);
    if (pid == 0) return true;
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return errno != ECHILD;
    if (pid != keeper->command) continue;
    keeper->command = 0;
    keeper->exit = exit_report(status, &usage);
    keeper->has_exit = true;
  }
}

// While the command is not reaped its number, and so its group's, cannot belong to anybody else.
static void obey(struct keeper *keeper) {
  struct order order;
  const ssize_t got = recv(keeper->socket, &order, sizeof order, MSG_DONTWAIT);
  if (got == 0) _exit(1); // the guard is gone, and the kernel ends the namespace
  if (got != (ssize_t)sizeof order) return;
  if (order.kind == ORDER_KILL_TREE) keeper->killing = true;
  else if (keeper->command > 0) kill(-keeper->command, order.signal);
}

static bool is_left(struct keeper *keeper) {
  if (reap(keeper)) return true;
  keeper->has_lost = kernel_is_gvisor() && sweep_finds_marked(keeper->proc);
  if (keeper->has_lost) tell_exit(keeper);
  return keeper->has_lost;
}

static void drain_signals(const struct keeper *keeper) {
  struct signalfd_siginfo info;
  while (read(keeper->signals, &info, sizeof info) == (ssize_t)sizeof info) continue;
}

// What is left to tell, in one packet. The guard waits for it and not for our end, which takes the kernel longer than all that we do for a small command.
_Noreturn static void leave(const struct keeper *keeper) {
  struct report last[REPORTS_MAX];
  size_t count = 0;
  const uint32_t refused = keeper->mediates ? mediator_finish() : 0;
  if (keeper->has_exit) last[count++] = keeper->exit;
  if (refused > 0) last[count++] = (struct report){.kind = REPORT_REFUSED_TOTAL, .first = refused};
  last[count++] = (struct report){.kind = REPORT_TREE_GONE};
  send_reports(keeper, last, count);
  _exit(0);
}

_Noreturn static void keep(struct keeper *keeper) {
  while (is_left(keeper)) {
    if (keeper->killing) sweep_descendants(keeper->proc);
    const int look_ms = keeper->mediates ? crew_look_out() : keeper->has_lost ? LOST_MS : -1;
    struct pollfd waits[] = {{keeper->signals, POLLIN, 0}, {keeper->socket, POLLIN, 0}, {turn_alarm(), POLLIN, 0}};
    poll(waits, 3, keeper->killing ? SWEEP_AGAIN_MS : look_ms);
    if (waits[0].revents != 0) drain_signals(keeper);
    if (waits[1].revents != 0) obey(keeper);
  }
  leave(keeper);
}

static void start_mediator(struct keeper *keeper, int socket, mode_t mask) {
  const int listener = handover_take(socket);
  if (listener < 0 || !mediator_start(listener, mask, report_refusal, report_file_limit)) _exit(1); // fails closed: the sandbox ends with its keeper
  keeper->mediates = true;
}

static bool is_mediated(const struct wall *wall) {
  return (wall->layers & GB_LAYER_SECCOMP) != 0 && wall->choice.mediated;
}

static uint64_t file_limit(const struct message_exec *request) {
  for (uint32_t index = 0; index < request->rlimit_count; index++) {
    if (request->rlimits[index].resource == RLIMIT_FSIZE) return request->rlimits[index].value;
  }
  return RLIM_INFINITY;
}

// The table is as long as every other time, so that it fits: filter-rows proves it.
static const struct bpf_program *assemble(const struct message_exec *request, const struct wall *wall) {
  static struct bpf_program filter;
  struct filter_choice choice = wall->choice;
  choice.numbers_from = pointer_numbers(request, wall->nofile.rlim_max);
  choice.numbers_to = choice.numbers_from + POINTERS_MAX;
  choice.file_bytes = file_limit(request);
  pointer_begin(choice.numbers_from);
  if (!filter_assemble(&filter, choice)) _exit(1);
  return &filter;
}

// What the mediator does for the command is bound by the command's own limit of file sizes; its signal is blocked like every other.
static void take_file_limit(const struct message_exec *request) {
  const uint64_t bytes = file_limit(request);
  const struct rlimit limit = {bytes, bytes};
  if (bytes != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
}

// The command's process; what it could not do is reported. -1: nothing was executed.
static pid_t execute(const struct keeper *keeper, const struct errand *errand, const struct wall *wall) {
  char **strings = errand_strings(errand);
  if (strings == NULL) _exit(1);
  const struct child_plan plan = {
      .cwd = strings[0],
      .argv = strings + 1,
      .environment = strings + errand->request.argc + 2,
      .streams = {errand->streams[0], errand->streams[1], errand->streams[2]},
      .request = errand->request,
      .wall = *wall,
  };
  volatile struct child_failure shared = {0};
  const pid_t pid = start(&plan, &shared);
  struct child_failure failure = {.stage = shared.stage, .wall = {shared.wall.wall, shared.wall.error}, .error = shared.error};
  if (pid < 0) failure = (struct child_failure){.stage = GB_STAGE_FORK, .error = (uint32_t)errno};
  if (pid >= 0 && failure.stage == 0 && failure.wall.wall == 0) return pid;
  report_failure(keeper, &failure);
  return -1;
}

static void start_errand(struct keeper *keeper, const struct errand *errand, const struct wall *wall, int handover[2]) {
  struct wall handed = *wall;
  touch_begin(errand->stream);
  if (kernel_is_gvisor() && !sweep_mark(errand->stream)) _exit(1);
  take_file_limit(&errand->request);
  handed.handover = handover[1];
  handed.filter = assemble(&errand->request, wall);
  const pid_t pid = execute(keeper, errand, &handed);
  for (int index = 0; index < 3; index++) close(errand->streams[index]);
  if (pid < 0) return;
  keeper->command = pid;
  if (handover[0] >= 0) start_mediator(keeper, handover[0], (mode_t)errand->request.umask);
  send_reports(keeper, &(struct report){.kind = REPORT_STARTED, .first = (uint32_t)pid}, 1);
}

_Noreturn void keeper_run(const struct errand *known, const struct wall *wall, int socket, int proc) {
  static const int none[3] = {-1, -1, -1};
  close_all_but(known == NULL ? none : known->streams, wall, socket, proc);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  struct keeper keeper = {.socket = socket, .proc = proc, .signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (keeper.signals < 0 || (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 && !kernel_is_gvisor())) _exit(1);
  int handover[2] = {-1, -1};
  const bool mediated = is_mediated(wall);
  if (mediated && !handover_open(handover)) _exit(1);
  reports = socket;
  const int error = mediated && !crew_enlist() ? EAGAIN : 0;
  struct errand errand;
  if (known != NULL) errand = *known;
  else if (!errand_receive(socket, &errand)) _exit(1);
  if (error == 0) start_errand(&keeper, &errand, wall, handover);
  else report_failure(&keeper, &(struct child_failure){.stage = GB_STAGE_FORK, .error = (uint32_t)error});
  close_if_open(&handover[0]);
  close_if_open(&handover[1]);
  keep(&keeper);
}
