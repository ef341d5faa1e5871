// A reader that stops reading must not stop our signals. Making the inherited descriptor non-blocking would change it for everybody who shares it, so
// pipes and terminals are opened once more, with a file description of their own.
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void output_open(struct output *output, int fd) {
  *output = (struct output){.fd = fd, .kind = OUTPUT_FREE, .last = '\n'};
  struct stat found;
  if (fstat(fd, &found) != 0) return;
  if (S_ISSOCK(found.st_mode)) output->kind = OUTPUT_SOCKET;
  if (!S_ISFIFO(found.st_mode) && !isatty(fd)) return;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const int own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (own >= 0) output->fd = own;
  else output->kind = OUTPUT_MAY_WAIT; // another owner's
}

// Where poll(2) finds room, PIPE_BUF bytes go without waiting (pipe(7)).
static bool has_room(const struct output *output) {
  struct pollfd ready = {output->fd, POLLOUT, 0};
  return poll(&ready, 1, 0) != 0;
}

static ssize_t write_some(const struct output *output, const uint8_t *bytes, size_t length) {
  if (output->kind == OUTPUT_SOCKET) return send(output->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (output->kind == OUTPUT_FREE) return write(output->fd, bytes, length);
  if (has_room(output)) return write(output->fd, bytes, length < PIPE_BUF ? length : PIPE_BUF);
  errno = EAGAIN;
  return -1;
}

int output_write(struct output *output, struct queue *queue) {
  output->is_blocked = false;
  const uint8_t *bytes;
  for (size_t length = queue_next(queue, &bytes); length > 0; length = queue_next(queue, &bytes)) {
    const ssize_t done = write_some(output, bytes, length);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {
      output->is_blocked = true;
      return 0;
    }
    if (done <= 0) return done < 0 ? errno : EIO;
    output->last = bytes[done - 1];
    queue_drop(queue, (size_t)done);
  }
  return 0;
}

void output_say(int fd, const char *text, int patience_ms) {
  struct output output;
  output_open(&output, fd);
  for (size_t left = strlen(text); left > 0;) {
    const ssize_t done = write_some(&output, (const uint8_t *)text, left);
    if (done > 0) {
      text += done;
      left -= (size_t)done;
      continue;
    }
    struct pollfd ready = {output.fd, POLLOUT, 0};
    if (done == 0 || (errno != EINTR && errno != EAGAIN) || poll(&ready, 1, patience_ms) == 0) break;
  }
  if (output.fd != fd) close(output.fd);
}
