// The keeper's life: start the command, report, obey orders, reap, and leave last.
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep.h"

#define KEPT_MAX 6
#define SWEEP_AGAIN_MS 10 // while a tree dies; a child that was born during a sweep is found by the next

struct keeper {
  int socket, proc, signals;
  pid_t command; // 0 once reaped
  bool killing;
};

static void send_report(const struct keeper *keeper, const struct report *report) {
  if (send(keeper->socket, report, sizeof *report, MSG_NOSIGNAL) != (ssize_t)sizeof *report) _exit(1);
}

static void sort(int *numbers, int count) {
  for (int next = 1; next < count; next++) {
    for (int at = next; at > 0 && numbers[at - 1] > numbers[at]; at--) {
      const int swapped = numbers[at];
      numbers[at] = numbers[at - 1];
      numbers[at - 1] = swapped;
    }
  }
}

// A keeper must hold no end of the guard's channel and of other commands' pipes: each would stay open as long as this command lives.
static void close_all_but(const struct child_plan *plan, int socket, int proc) {
  int kept[KEPT_MAX] = {plan->streams[0], plan->streams[1], plan->streams[2], plan->wall.ruleset, socket, proc};
  sort(kept, KEPT_MAX);
  unsigned first = 0;
  for (int index = 0; index < KEPT_MAX; index++) {
    if (kept[index] < 0) continue;
    const unsigned number = (unsigned)kept[index];
    if (number > first) syscall(SYS_close_range, first, number - 1, 0);
    if (number >= first) first = number + 1;
  }
  syscall(SYS_close_range, first, ~0u, 0);
}

static pid_t start(const struct child_plan *plan, volatile struct child_failure *failure) {
  const pid_t pid = vfork(); // the parent waits until the child executes or ends, so the failure it wrote can be read at once
  if (pid == 0) child_run(plan, failure);
  return pid;
}

static void report_failure(const struct keeper *keeper, const struct child_failure *failure) {
  struct report report = {.kind = REPORT_NOT_STARTED, .first = failure->stage, .second = failure->error};
  if (failure->wall.wall != 0) report = (struct report){.kind = REPORT_WALL_MISSING, .first = failure->wall.wall, .second = failure->wall.error};
  send_report(keeper, &report);
}

static uint64_t microseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static void report_exit(const struct keeper *keeper, int status, const struct rusage *usage) {
  const bool signalled = WIFSIGNALED(status);
  const struct report report = {
      .kind = REPORT_EXITED,
      .first = signalled ? GB_EXITED_SIGNAL : GB_EXITED_CODE,
      .second = (uint32_t)(signalled ? WTERMSIG(status) : WEXITSTATUS(status)),
      .user_us = microseconds(usage->ru_utime),
      .system_us = microseconds(usage->ru_stime),
      .resident_bytes = (uint64_t)usage->ru_maxrss * 1024u,
  };
  send_report(keeper, &report);
}

// Reaps what has ended. False when no child, and so no descendant, is left.
static bool reap(struct keeper *keeper) {
  for (;;) {
    int status;
    struct rusage usage;
    const pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid == 0) return true;
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return errno != ECHILD;
    if (pid != keeper->command) continue;
    keeper->command = 0;
    report_exit(keeper, status, &usage);
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

static void drain_signals(const struct keeper *keeper) {
  struct signalfd_siginfo info;
  while (read(keeper->signals, &info, sizeof info) == (ssize_t)sizeof info) continue;
}

_Noreturn static void keep(struct keeper *keeper) {
  while (reap(keeper)) {
    if (keeper->killing) sweep_descendants(keeper->proc);
    struct pollfd waits[] = {{keeper->signals, POLLIN, 0}, {keeper->socket, POLLIN, 0}};
    poll(waits, 2, keeper->killing ? SWEEP_AGAIN_MS : -1);
    if (waits[0].revents != 0) drain_signals(keeper);
    if (waits[1].revents != 0) obey(keeper);
  }
  _exit(0);
}

_Noreturn void keeper_run(const struct child_plan *plan, int socket, int proc) {
  close_all_but(plan, socket, proc);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  struct keeper keeper = {.socket = socket, .proc = proc, .signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (keeper.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) _exit(1);
  volatile struct child_failure shared = {0};
  const pid_t pid = start(plan, &shared);
  struct child_failure failure = {.stage = shared.stage, .wall = {shared.wall.wall, shared.wall.error}, .error = shared.error};
  if (pid < 0) failure = (struct child_failure){.stage = GB_STAGE_FORK, .error = (uint32_t)errno};
  for (int index = 0; index < 3; index++) close(plan->streams[index]);
  if (pid < 0 || failure.stage != 0 || failure.wall.wall != 0) {
    report_failure(&keeper, &failure);
    keep(&keeper);
  }
  keeper.command = pid;
  send_report(&keeper, &(struct report){.kind = REPORT_STARTED, .first = (uint32_t)pid});
  keep(&keeper);
}
