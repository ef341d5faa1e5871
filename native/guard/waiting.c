// A few threads at most, each waiting for one pipe; they end with the keeper.
#define _GNU_SOURCE
#include "waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "crew.h"
#include "interruption.h"
#include "mediator.h"

#define FIFOS_MAX 32
#define FIFO_RETRY_US 2000
#define FIFO_LOOK 10 // turns between looks at the caller's signals

static atomic_int fifo_count;

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
    if (crew_start_thread(wait_for_reader, fifo)) return (struct answer){.kind = ANSWER_LATER};
    fifo_count--;
  }
  free(fifo);
  mediator_report_file(node, GB_CALL_OPEN, GB_RULE_CROWDED, ENFILE);
  close(node);
  return answer_error(ENFILE);
}
