// Makes pipes and terminals; every descriptor closes on exec, and the guard's ends never block.
#define _GNU_SOURCE
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "../cleanup.h"
#include "kernel.h"

#define END_BYTE 4 // control-D

static const struct streams none = {-1, {-1, -1}, {-1, -1, -1}};

void streams_close_child(struct streams *streams) {
  for (int index = 0; index < 3; index++) close_if_open(&streams->child[index]);
}

void streams_close(struct streams *streams) {
  streams_close_child(streams);
  close_if_open(&streams->input);
  close_if_open(&streams->output[0]);
  close_if_open(&streams->output[1]);
}

static int never_block(int fd) {
  return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static int open_pipe(int *read_end, int *write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  *read_end = ends[0];
  *write_end = ends[1];
  return 0;
}

int streams_open_pipes(struct streams *streams) {
  *streams = none;
  if (open_pipe(&streams->child[0], &streams->input) == 0 && open_pipe(&streams->output[0], &streams->child[1]) == 0 &&
      open_pipe(&streams->output[1], &streams->child[2]) == 0 && never_block(streams->input) == 0 && never_block(streams->output[0]) == 0 &&
      never_block(streams->output[1]) == 0) {
    return 0;
  }
  const int error = errno;
  streams_close(streams);
  return error;
}

// By descriptor: no path to race. gVisor (20221219) knows only the path, in a place where nobody mounts or makes anything.
static int open_peer(int terminal) {
  unsigned number;
  char name[32];
  if (!kernel_is_gvisor()) return ioctl(terminal, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ioctl(terminal, TIOCGPTN, &number) != 0) return -1;
  snprintf(name, sizeof name, "/dev/pts/%u", number);
  return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int streams_open_terminal(struct streams *streams, uint16_t rows, uint16_t columns) {
  *streams = none;
  streams->output[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  int unlocked = 0;
  if (streams->output[0] >= 0 && ioctl(streams->output[0], TIOCSPTLCK, &unlocked) == 0 && terminal_resize(streams->output[0], rows, columns) == 0) {
    streams->child[0] = open_peer(streams->output[0]);
    streams->input = fcntl(streams->output[0], F_DUPFD_CLOEXEC, 3);
    if (streams->child[0] >= 0 && streams->input >= 0) {
      streams->child[1] = fcntl(streams->child[0], F_DUPFD_CLOEXEC, 3);
      streams->child[2] = fcntl(streams->child[0], F_DUPFD_CLOEXEC, 3);
      if (streams->child[1] >= 0 && streams->child[2] >= 0) return 0;
    }
  }
  const int error = errno;
  streams_close(streams);
  return error;
}

int terminal_resize(int terminal, uint16_t rows, uint16_t columns) {
  const struct winsize size = {.ws_row = rows, .ws_col = columns};
  return ioctl(terminal, TIOCSWINSZ, &size);
}

uint8_t terminal_end_byte(int terminal) {
  struct termios settings;
  return tcgetattr(terminal, &settings) == 0 ? settings.c_cc[VEOF] : END_BYTE;
}
