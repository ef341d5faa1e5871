// A thread that waits in the kernel looks up now and then: whoever looks out for slow calls interrupts it, and /proc says what the caller has pending.
#define _GNU_SOURCE
#include "interruption.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../cleanup.h"
#include "crew.h"
#include "turn.h"

#define STATUS_BYTES 4096
#define TICK SIGRTMIN

static void do_nothing(int number) {
  (void)number;
}

bool interruption_prepare(void) {
  struct sigaction action = {.sa_handler = do_nothing}; // without SA_RESTART
  sigemptyset(&action.sa_mask);
  return sigaction(TICK, &action, NULL) == 0;
}

static uint64_t signals_in(const char *status, const char *field) {
  const char *at = strstr(status, field);
  return at == NULL ? 0 : strtoull(at + strlen(field), NULL, 16);
}

bool caller_is_interrupted(const struct caller *caller) {
  char name[64];
  char status[STATUS_BYTES];
  if (!caller_waits(caller)) return true;
  snprintf(name, sizeof name, "/proc/%d/status", caller->thread);
  AUTO_CLOSE const int fd = open(name, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd < 0 ? -1 : read(fd, status, sizeof status - 1);
  if (length <= 0) return true;
  status[length] = '\0';
  // A signal to the whole process is given to its first thread, unless that one blocks it.
  const bool is_first = caller_process(caller) == caller->thread;
  const uint64_t pending = signals_in(status, "\nSigPnd:\t") | (is_first ? signals_in(status, "\nShdPnd:\t") : 0);
  return (pending & ~signals_in(status, "\nSigBlk:\t")) != 0;
}

// Threads that wait, each with a number of its own, so that the one that was there at the last look is told from a later one.
struct waiter {
  atomic_int thread; // 0: free
  atomic_uint_fast64_t number;
};

static struct waiter waiters[CREW_WAITS_MAX];
static atomic_uint_fast64_t waits;

// NULL: too many wait.
static struct waiter *begin_wait(void) {
  for (size_t index = 0; index < CREW_WAITS_MAX; index++) {
    int nobody = 0;
    if (!atomic_compare_exchange_strong(&waiters[index].thread, &nobody, gettid())) continue;
    atomic_store(&waiters[index].number, ++waits);
    turn_wants_look();
    return &waiters[index];
  }
  return NULL;
}

bool interruption_tick(void) {
  static uint_fast64_t seen[CREW_WAITS_MAX];
  bool any = false;
  for (size_t index = 0; index < CREW_WAITS_MAX; index++) {
    const int thread = atomic_load(&waiters[index].thread);
    const uint_fast64_t number = atomic_load(&waiters[index].number);
    if (thread != 0 && number == seen[index]) tgkill(getpid(), thread, TICK);
    seen[index] = number;
    any = any || thread != 0;
  }
  return any;
}

bool interruption_waits(void) {
  bool any = false;
  for (size_t index = 0; index < CREW_WAITS_MAX; index++) any = any || atomic_load(&waiters[index].thread) != 0;
  return any;
}

static void let_tick(bool pass) {
  sigset_t tick;
  sigemptyset(&tick);
  sigaddset(&tick, TICK);
  pthread_sigmask(pass ? SIG_UNBLOCK : SIG_BLOCK, &tick, NULL);
}

static int64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// The socket's own time limit, 0: none.
static int64_t limit_us(int socket) {
  struct timeval limit = {0};
  socklen_t length = sizeof limit;
  getsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, &length);
  return (int64_t)limit.tv_sec * 1000000 + limit.tv_usec;
}

struct wait {
  const struct caller *caller;
  int socket; // whose time limit counts, or -1
  int late;   // the errno when it is over
};

// Tries once; 0 or an errno, EINTR when the tick came.
typedef int (*attempt)(void *what);

static int repeat(const struct wait *wait, attempt try, void *what) {
  const int64_t began = now_us();
  struct waiter *self = begin_wait();
  if (self == NULL) return EAGAIN;
  let_tick(true);
  int error = try(what);
  const int64_t limit = error == EINTR && wait->socket >= 0 ? limit_us(wait->socket) : 0;
  while (error == EINTR && !caller_is_interrupted(wait->caller)) {
    if (limit > 0 && now_us() - began >= limit) error = wait->late;
    else error = try(what);
  }
  let_tick(false);
  atomic_store(&self->thread, 0);
  return error == EINTR && limit == 0 ? RESTART_AFTER_SIGNAL : error;
}

struct opening {
  const char *name;
  int flags, fd;
};

static int try_open(void *what) {
  struct opening *opening = what;
  opening->fd = open(opening->name, opening->flags);
  return opening->fd < 0 ? errno : 0;
}

int open_interruptibly(const struct caller *caller, const char *name, int flags, int *fd) {
  struct opening opening = {name, flags, -1};
  turn_pass();
  const int error = repeat(&(struct wait){.caller = caller, .socket = -1}, try_open, &opening);
  *fd = opening.fd;
  return error;
}

struct connecting {
  int socket;
  const struct sockaddr *address;
  socklen_t length;
};

// After EINTR a connection under way goes on.
static int try_connect(void *what) {
  const struct connecting *connecting = what;
  return connect(connecting->socket, connecting->address, connecting->length) == 0 ? 0 : errno;
}

int connect_interruptibly(const struct caller *caller, int socket, const struct sockaddr *address, socklen_t length) {
  const int late = address->sa_family == AF_UNIX ? EAGAIN : EINPROGRESS;
  struct connecting connecting = {socket, address, length};
  return repeat(&(struct wait){caller, socket, late}, try_connect, &connecting);
}
