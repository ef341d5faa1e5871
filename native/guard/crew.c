// What ends a thread unexpectedly ends the keeper, and with it the sandbox.
#define _GNU_SOURCE
#include "crew.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "interruption.h"
#include "mediator.h"
#include "place.h"
#include "turn.h"

#define THREADS 2 // that wait for nothing but the next call
#define SPARE 2   // more, kept for the next call that may have to wait
#define STACK_BYTES (512u * 1024u)
#define SET_FLAGS _IOW('!', 4, uint64_t) // Linux 6.6: the caller and its mediator run on one processor in turn
#define SYNC_WAKE_UP 1ul

static int notifications = -1;

// Every process under the filter has ended; the keeper is about to.
static bool nobody_is_left(void) {
  struct pollfd wait = {notifications, 0, 0};
  return poll(&wait, 1, 0) == 1 && (wait.revents & POLLHUP) != 0;
}

static pthread_mutex_t crew_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t listener_is_there = PTHREAD_COND_INITIALIZER;
static int crew, waiting; // threads that serve, and those of them that wait on behalf of a caller

static void *serve(void *unused);

static bool enlist(void) {
  if (!crew_start_thread(serve, NULL)) return false;
  crew++;
  return true;
}

bool crew_begin_wait(void) {
  pthread_mutex_lock(&crew_mutex);
  const bool begins = waiting < CREW_WAITS_MAX && (crew - waiting > THREADS || enlist());
  if (begins) waiting++;
  pthread_mutex_unlock(&crew_mutex);
  return begins;
}

void crew_end_wait(void) {
  pthread_mutex_lock(&crew_mutex);
  waiting--;
  pthread_mutex_unlock(&crew_mutex);
}

static bool is_surplus(void) {
  pthread_mutex_lock(&crew_mutex);
  const bool surplus = crew - waiting > THREADS + SPARE;
  if (surplus) crew--;
  pthread_mutex_unlock(&crew_mutex);
  return surplus;
}

static void wait_for_listener(void) {
  pthread_mutex_lock(&crew_mutex);
  while (notifications < 0) pthread_cond_wait(&listener_is_there, &crew_mutex);
  pthread_mutex_unlock(&crew_mutex);
}

static bool more_have_come(void) {
  struct pollfd wait = {notifications, POLLIN, 0};
  return poll(&wait, 1, 0) == 1 && (wait.revents & POLLIN) != 0;
}

// False: nobody is left who could make one.
static bool receive(struct seccomp_notif *call) {
  for (;;) {
    memset(call, 0, sizeof *call);
    if (ioctl(notifications, SECCOMP_IOCTL_NOTIF_RECV, call) == 0) return true;
    if (errno != EINTR && errno != ENOENT) _exit(1);
    if (nobody_is_left()) return false; // else the caller was killed
  }
}

static void serve_call(const struct seccomp_notif *call) {
  const struct caller caller = {.listener = notifications, .id = call->id, .thread = (pid_t)call->pid};
  uint64_t arguments[6];
  for (int index = 0; index < 6; index++) arguments[index] = call->data.args[index];
  const struct answer answer = caller.thread > 0 ? mediator_answer(&caller, call->data.nr, arguments) : answer_error(EPERM);
  answer_send(&caller, &answer);
}

static void *serve(void *unused) {
  (void)unused;
  if (unshare(CLONE_FS) != 0) _exit(1); // a umask and a directory of this thread's own
  wait_for_listener();
  for (bool has_turn = false;;) {
    struct seccomp_notif call;
    if (!has_turn) turn_take();
    if (!receive(&call)) break;
    turn_begin_call();
    if (more_have_come()) turn_pass();
    serve_call(&call);
    has_turn = turn_end_call();
    if (!is_surplus()) continue;
    if (!has_turn) return NULL;
    break;
  }
  turn_leave();
  return NULL;
}

bool crew_start_thread(void *(*run)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const bool started = pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

bool crew_enlist(void) {
  if (!turn_prepare() || !place_prepare()) return false;
  for (int count = 0; count < THREADS; count++) {
    if (!enlist()) return false;
  }
  return true;
}

void crew_begin(int listener) {
  ioctl(listener, SET_FLAGS, SYNC_WAKE_UP); // a kernel without it is only slower
  pthread_mutex_lock(&crew_mutex);
  notifications = listener;
  pthread_cond_broadcast(&listener_is_there);
  pthread_mutex_unlock(&crew_mutex);
}

int crew_look_out(void) {
  const int ms = turn_look_out(interruption_tick());
  if (ms < 0 && interruption_waits()) turn_wants_look(); // one that has begun since
  return ms;
}
