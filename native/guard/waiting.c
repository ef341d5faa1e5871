// A few threads at most, each waiting for one thing; they end with the keeper.
#define _GNU_SOURCE
#include "waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../cleanup.h"
#include "git-files.h"
#include "interruption.h"
#include "mediator.h"

#define POINTERS_MAX 8
#define POINTER_BYTES 4097 // one more than a pointer may have
#define FIFOS_MAX 32
#define FIFO_RETRY_US 2000
#define FIFO_LOOK 10 // turns between looks at the caller's signals

struct pointer {
  bool used;
  int pipe;
  struct place place;
  mode_t mode;
  bool replace;
};

static struct pointer pointers[POINTERS_MAX];
static atomic_int pointer_count;
static atomic_int undelivered; // pipes whose writing end this process still holds, for as long as it takes to hand it over
static pthread_mutex_t pointer_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int fifo_count;

static void finish_pointer(struct pointer *pointer) {
  char bytes[POINTER_BYTES];
  size_t length = 0;
  for (;;) {
    const ssize_t got = read(pointer->pipe, bytes + length, sizeof bytes - length);
    if (got <= 0) break;
    length += (size_t)got;
  }
  mediation_lock(true);
  const bool refreshed = place_refresh(&pointer->place);
  const struct verdict verdict = place_judge(&pointer->place);
  const bool stands = refreshed && (verdict.kind == PLACE_GIT_POINTER || verdict.kind == PLACE_GIT_DIRECTORY);
  const int error = stands ? git_write_pointer(&pointer->place, bytes, length, pointer->mode, pointer->replace) : GIT_REFUSED;
  mediation_unlock();
  if (error == GIT_REFUSED) mediator_report(pointer->place.path, GB_CALL_OPEN, GB_RULE_GIT_POINTER, EACCES);
  close(pointer->pipe);
  place_close(&pointer->place);
  pointer->used = false;
  pointer_count--;
}

static bool is_complete(const struct pointer *pointer) {
  struct pollfd wait = {pointer->pipe, 0, 0};
  return poll(&wait, 1, 0) == 1 && (wait.revents & POLLHUP) != 0;
}

void pointer_delivered(void) {
  undelivered--;
}

void pointer_settle(void) {
  if (pointer_count == 0) return;
  while (undelivered > 0) sched_yield(); // else a pipe that its program has closed would not look closed
  pthread_mutex_lock(&pointer_mutex);
  for (int index = 0; index < POINTERS_MAX; index++) {
    if (pointers[index].used && is_complete(&pointers[index])) finish_pointer(&pointers[index]);
  }
  pthread_mutex_unlock(&pointer_mutex);
}

static void *wait_for_pointer(void *argument) {
  const int pipe = (int)(intptr_t)argument;
  struct pollfd wait = {pipe, 0, 0};
  while (poll(&wait, 1, -1) < 0 && errno == EINTR) continue;
  close(pipe);
  pointer_settle();
  return NULL;
}

static struct pointer *free_pointer(void) {
  for (int index = 0; index < POINTERS_MAX; index++) {
    if (!pointers[index].used) return &pointers[index];
  }
  return NULL;
}

struct answer pointer_open(struct place *place, mode_t mode, bool replace) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return answer_error(errno);
  const int watch = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
  pthread_mutex_lock(&pointer_mutex);
  struct pointer *pointer = watch < 0 ? NULL : free_pointer();
  const bool waits = pointer != NULL && mediator_start_thread(wait_for_pointer, (void *)(intptr_t)watch);
  if (waits) {
    *pointer = (struct pointer){.used = true, .pipe = ends[0], .place = *place, .mode = mode, .replace = replace};
    place->parent = -1;
    pointer_count++;
    undelivered++;
  }
  pthread_mutex_unlock(&pointer_mutex);
  if (waits) return (struct answer){.kind = ANSWER_DESCRIPTOR, .descriptor = ends[1], .is_pointer = true};
  close_if_open(&ends[0]);
  close_if_open(&ends[1]);
  if (watch >= 0) close(watch);
  return answer_error(ENFILE);
}

struct fifo {
  struct caller caller;
  int node;
  uint32_t flags;
};

static bool try_fifo(const struct fifo *fifo) {
  char name[40];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fifo->node);
  const int fd = open(name, (int)(fifo->flags & (O_ACCMODE | O_APPEND)) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 && errno == ENXIO) return false;
  struct answer answer = answer_error(errno);
  if (fd >= 0) {
    fcntl(fd, F_SETFL, (int)(fifo->flags & O_APPEND));
    answer = (struct answer){.kind = ANSWER_DESCRIPTOR, .descriptor = fd, .close_on_exec = (fifo->flags & O_CLOEXEC) != 0};
  }
  answer_send(&fifo->caller, &answer);
  return true;
}

// A reader that waits in its own open counts as one already, so that trying again finds it.
static void *wait_for_reader(void *argument) {
  struct fifo *fifo = argument;
  for (int turn = 1; !try_fifo(fifo) && caller_waits(&fifo->caller); turn++) {
    if (turn % FIFO_LOOK == 0 && caller_is_interrupted(&fifo->caller)) {
      const struct answer answer = answer_error(RESTART_AFTER_SIGNAL);
      answer_send(&fifo->caller, &answer);
      break;
    }
    usleep(FIFO_RETRY_US);
  }
  close(fifo->node);
  free(fifo);
  fifo_count--;
  return NULL;
}

struct answer fifo_open(const struct caller *caller, int node, uint32_t flags) {
  struct fifo *fifo = malloc(sizeof *fifo);
  if (fifo != NULL && fifo_count < FIFOS_MAX) {
    *fifo = (struct fifo){.caller = *caller, .node = node, .flags = flags};
    fifo_count++;
    if (mediator_start_thread(wait_for_reader, fifo)) return (struct answer){.kind = ANSWER_LATER};
    fifo_count--;
  }
  free(fifo);
  mediator_report_file(node, GB_CALL_OPEN, GB_RULE_CROWDED, ENFILE);
  close(node);
  return answer_error(ENFILE);
}
