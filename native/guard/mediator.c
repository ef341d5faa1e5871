// Two threads take calls from the listener and answer them. What ends a thread unexpectedly ends the keeper, and with it the sandbox.
#define _GNU_SOURCE
#include "mediator.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beyond.h"
#include "interruption.h"
#include "mediate-change.h"
#include "mediate.h"
#include "pointer.h"
#include "turn.h"

#define THREADS 2 // that wait for nothing but the next call
#define SPARE 2   // more, kept for the next call that may have to wait
#define STACK_BYTES (512u * 1024u)
#define SET_FLAGS _IOW('!', 4, uint64_t) // Linux 6.6: the caller and its mediator run on one processor in turn
#define SYNC_WAKE_UP 1ul

static int notifications = -1;
static mediator_reporter reporter;
static mediator_limit_reporter file_limit_reporter;
static atomic_uint refusals;

static struct answer make(const struct caller *caller, const struct make_request request) {
  return mediate_make(caller, &request);
}

static struct answer pair(const struct caller *caller, uint32_t call, const struct pair_request request) {
  return call == GB_CALL_LINK ? mediate_link(caller, &request) : mediate_rename(caller, &request);
}

static struct answer open_at(const struct caller *caller, const struct open_request request) {
  return mediate_open(caller, &request);
}

#define HERE AT_FDCWD
#define MODE(value) ((mode_t)((value) & 0177777))

#ifdef SYS_open // calls that aarch64 never had
static bool mediate_old(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  switch (number) {
    case SYS_open:
      *answer = open_at(caller, (struct open_request){HERE, at[0], (uint32_t)at[1], MODE(at[2])});
      return true;
    case SYS_creat:
      *answer = open_at(caller, (struct open_request){HERE, at[0], O_CREAT | O_WRONLY | O_TRUNC, MODE(at[1])});
      return true;
    case SYS_mkdir:
      *answer = make(caller, (struct make_request){.directory = HERE, .path = at[0], .mode = MODE(at[1]), .what = MAKE_DIRECTORY});
      return true;
    case SYS_mknod:
      *answer = make(caller, (struct make_request){.directory = HERE, .path = at[0], .mode = MODE(at[1]), .what = MAKE_NODE});
      return true;
    case SYS_symlink:
      *answer = make(caller, (struct make_request){.directory = HERE, .path = at[1], .target = at[0], .what = MAKE_LINK});
      return true;
    case SYS_unlink:
      *answer = mediate_remove(caller, HERE, at[0], 0);
      return true;
    case SYS_rmdir:
      *answer = mediate_remove(caller, HERE, at[0], AT_REMOVEDIR);
      return true;
    case SYS_rename:
      *answer = pair(caller, GB_CALL_RENAME, (struct pair_request){HERE, HERE, at[0], at[1], 0});
      return true;
    case SYS_link:
      *answer = pair(caller, GB_CALL_LINK, (struct pair_request){HERE, HERE, at[0], at[1], 0});
      return true;
    default:
      return false;
  }
}
#else
static bool mediate_old(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  (void)caller, (void)number, (void)at, (void)answer;
  return false;
}
#endif

static struct answer mediate(const struct caller *caller, int number, const uint64_t *at) {
  struct answer answer;
  if (mediate_old(caller, number, at, &answer)) return answer;
  switch (number) {
    case SYS_openat:
      return open_at(caller, (struct open_request){(int)at[0], at[1], (uint32_t)at[2], MODE(at[3])});
    case SYS_mkdirat:
      return make(caller, (struct make_request){.directory = (int)at[0], .path = at[1], .mode = MODE(at[2]), .what = MAKE_DIRECTORY});
    case SYS_mknodat:
      return make(caller, (struct make_request){.directory = (int)at[0], .path = at[1], .mode = MODE(at[2]), .what = MAKE_NODE});
    case SYS_symlinkat:
      return make(caller, (struct make_request){.directory = (int)at[1], .path = at[2], .target = at[0], .what = MAKE_LINK});
#ifdef SYS_renameat
    case SYS_renameat:
      return pair(caller, GB_CALL_RENAME, (struct pair_request){(int)at[0], (int)at[2], at[1], at[3], 0});
#endif
    case SYS_renameat2:
      return pair(caller, GB_CALL_RENAME, (struct pair_request){(int)at[0], (int)at[2], at[1], at[3], (uint32_t)at[4]});
    case SYS_linkat:
      return pair(caller, GB_CALL_LINK, (struct pair_request){(int)at[0], (int)at[2], at[1], at[3], (uint32_t)at[4]});
    case SYS_unlinkat:
      return mediate_remove(caller, (int)at[0], at[1], (uint32_t)at[2]);
    case SYS_umask:
      caller_umask_changes(caller, at[0]);
      return answer_continue();
    case SYS_write:
      return pointer_write(caller, (int)at[0], at[1], at[2]);
    case SYS_writev:
      return pointer_write_vector(caller, (int)at[0], at[1], at[2]);
    case SYS_lseek:
      return mediate_beyond(caller, BEYOND_SEEK, (int)at[0], at[1]);
    case SYS_ftruncate:
      return mediate_beyond(caller, BEYOND_LENGTH, (int)at[0], at[1]);
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
      return mediate_beyond(caller, BEYOND_WRITE, (int)at[0], at[3]);
    case SYS_truncate:
      return mediate_truncate(caller, at[0], at[1]);
    case SYS_connect:
      return mediate_connect(caller, (int)at[0], at[1], (int)at[2]);
    case SYS_bind:
      return mediate_bind(caller, (int)at[0], at[1], (uint32_t)at[2]);
    default:
      if (mediate_change_call(caller, number, at, &answer)) return answer;
      return answer_error(ENOSYS); // the filter and this list are not the same
  }
}

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
  if (!mediator_start_thread(serve, NULL)) return false;
  crew++;
  return true;
}

bool mediator_begin_wait(void) {
  pthread_mutex_lock(&crew_mutex);
  const bool begins = waiting < MEDIATOR_WAITS_MAX && (crew - waiting > THREADS || enlist());
  if (begins) waiting++;
  pthread_mutex_unlock(&crew_mutex);
  return begins;
}

void mediator_end_wait(void) {
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
  const struct answer answer = caller.thread > 0 ? mediate(&caller, call->data.nr, arguments) : answer_error(EPERM);
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

bool mediator_start_thread(void *(*run)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const bool started = pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

bool mediator_enlist(void) {
  if (!turn_prepare() || !place_prepare()) return false;
  for (int count = 0; count < THREADS; count++) {
    if (!enlist()) return false;
  }
  return true;
}

bool mediator_start(int listener, mode_t mask, mediator_reporter report, mediator_limit_reporter report_limit) {
  caller_umask_begins(mask);
  if (!interruption_prepare()) return false;
  reporter = report;
  file_limit_reporter = report_limit;
  ioctl(listener, SET_FLAGS, SYNC_WAKE_UP); // a kernel without it is only slower
  pthread_mutex_lock(&crew_mutex);
  notifications = listener;
  pthread_cond_broadcast(&listener_is_there);
  pthread_mutex_unlock(&crew_mutex);
  return true;
}

int mediator_look_out(void) {
  const int ms = turn_look_out(interruption_tick());
  if (ms < 0 && interruption_waits()) turn_wants_look(); // one that has begun since
  return ms;
}

uint32_t mediator_finish(void) {
  pointer_finish();
  return refusals;
}

void mediator_report(const char *path, uint32_t call, uint32_t rule, uint32_t error) {
  if (refusals++ < GB_SIZE_REFUSED_MAX) reporter(call, error, rule, path, (uint32_t)strlen(path));
}

void mediator_report_file_limit(uint64_t length) {
  static atomic_flag is_told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&is_told)) file_limit_reporter(length);
}

void mediator_report_file(int file, uint32_t call, uint32_t rule, uint32_t error) {
  char link[40];
  char path[PATH_BYTES];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length > 0) path[length] = '\0';
  else strcpy(path, "-");
  mediator_report(path, call, rule, error);
}
