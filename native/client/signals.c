// signalfd(2): a signal cannot come between a look and a wait.
#define _GNU_SOURCE
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t before;

int signals_hold(void) {
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
  sigset_t heard;
  sigemptyset(&heard);
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) sigaddset(&heard, numbers[index]);
  sigset_t held = heard;
  sigaddset(&held, SIGPIPE); // a write says it too
  if (sigprocmask(SIG_BLOCK, &held, &before) != 0) return -1;
  return signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_next(int fd) {
  struct signalfd_siginfo info;
  return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

void signals_release_heard(void) {
  sigset_t left = before;
  sigaddset(&left, SIGPIPE);
  sigprocmask(SIG_SETMASK, &left, NULL);
}

void signals_release(void) {
  sigprocmask(SIG_SETMASK, &before, NULL);
}

_Noreturn void signals_die(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  signal(number, SIG_DFL);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  _exit(128 + number);
}
