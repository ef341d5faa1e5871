// The keeper's life: start the command, report, obey orders, reap, and leave last.
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cleanup.h"
#include "crew.h"
#include "mediator.h"
#include "pointer.h"
#include "sweep.h"
#include "shared-lock.h"
#include "touch.h"
#include "turn.h"

#define KEPT_MAX 8
#define SWEEP_AGAIN_MS 10 // while a tree dies; a child that was born during a sweep is found by the next

struct keeper {
  int socket, proc, signals;
  pid_t command; // 0 once reaped
  bool mediates;
  bool killing;
};

static void send_report(const struct keeper *keeper, const struct report *report) {
  if (send(keeper->socket, report, sizeof *report, MSG_NOSIGNAL) != (ssize_t)sizeof *report) _exit(1);
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
  int kept[KEPT_MAX] = {
      plan->streams[0], plan->streams[1], plan->streams[2], plan->wall.ruleset, socket, proc, touch_descriptor(), shared_lock_descriptor(),
  };
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
    const int look_ms = keeper->mediates ? crew_look_out() : -1;
    struct pollfd waits[] = {{keeper->signals, POLLIN, 0}, {keeper->socket, POLLIN, 0}, {turn_alarm(), POLLIN, 0}};
    poll(waits, 3, keeper->killing ? SWEEP_AGAIN_MS : look_ms);
    if (waits[0].revents != 0) drain_signals(keeper);
    if (waits[1].revents != 0) obey(keeper);
  }
  const uint32_t refused = keeper->mediates ? mediator_finish() : 0;
  if (refused > 0) send_report(keeper, &(struct report){.kind = REPORT_REFUSED_TOTAL, .first = refused});
  _exit(0);
}

// The listener that the child sent before it executed, or -1.
static int take_listener(int socket) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control = {0};
  char byte;
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return -1;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return -1;
  int listener;
  memcpy(&listener, CMSG_DATA(header), sizeof listener);
  return listener;
}

static void start_mediator(struct keeper *keeper, int socket, mode_t mask) {
  const int listener = take_listener(socket);
  if (listener < 0 || !mediator_start(listener, mask, report_refusal, report_file_limit)) _exit(1); // fails closed: the sandbox ends with its keeper
  keeper->mediates = true;
}

static bool is_mediated(const struct wall *wall) {
  return (wall->layers & GB_LAYER_SECCOMP) != 0 && wall->choice.mediated;
}

// The child's end lies above its streams, which are put in place over 0, 1 and 2.
static void open_handover(int ends[2]) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) _exit(1);
  const int lifted = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
  if (lifted < 0) _exit(1);
  close(ends[1]);
  ends[1] = lifted;
}

static uint64_t file_limit(const struct message_exec *request) {
  for (uint32_t index = 0; index < request->rlimit_count; index++) {
    if (request->rlimits[index].resource == RLIMIT_FSIZE) return request->rlimits[index].value;
  }
  return RLIM_INFINITY;
}

// The table is as long as every other time, so that it fits: filter-rows proves it.
static const struct bpf_program *assemble(const struct child_plan *plan) {
  static struct bpf_program filter;
  struct filter_choice choice = plan->wall.choice;
  choice.numbers_from = pointer_numbers(&plan->request, plan->wall.nofile.rlim_max);
  choice.numbers_to = choice.numbers_from + POINTERS_MAX;
  choice.file_bytes = file_limit(&plan->request);
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

_Noreturn void keeper_run(const struct child_plan *plan, int socket, int proc) {
  close_all_but(plan, socket, proc);
  touch_begin(plan->stream);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  struct keeper keeper = {.socket = socket, .proc = proc, .signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (keeper.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) _exit(1);
  volatile struct child_failure shared = {0};
  int handover[2] = {-1, -1};
  const bool mediated = is_mediated(&plan->wall);
  if (mediated) open_handover(handover);
  reports = socket;
  take_file_limit(&plan->request);
  struct child_plan handed = *plan;
  handed.wall.handover = handover[1];
  handed.wall.filter = assemble(plan);
  const bool enlisted = !mediated || crew_enlist();
  if (!enlisted) errno = EAGAIN;
  const pid_t pid = enlisted ? start(&handed, &shared) : -1;
  struct child_failure failure = {.stage = shared.stage, .wall = {shared.wall.wall, shared.wall.error}, .error = shared.error};
  if (pid < 0) failure = (struct child_failure){.stage = GB_STAGE_FORK, .error = (uint32_t)errno};
  for (int index = 0; index < 3; index++) close(plan->streams[index]);
  if (pid < 0 || failure.stage != 0 || failure.wall.wall != 0) {
    report_failure(&keeper, &failure);
    keep(&keeper);
  }
  keeper.command = pid;
  if (handover[0] >= 0) start_mediator(&keeper, handover[0], (mode_t)plan->request.umask);
  close_if_open(&handover[0]);
  close_if_open(&handover[1]);
  send_report(&keeper, &(struct report){.kind = REPORT_STARTED, .first = (uint32_t)pid});
  keep(&keeper);
}
