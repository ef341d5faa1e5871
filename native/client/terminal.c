// Raw mode while a command runs. What cannot be handled (kill -9) leaves it as it is.
#define _GNU_SOURCE
#include "terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define END_KEY 0x1d
#define END_PRESSES 3
#define END_WITHIN_MS 1000

static struct termios found;
static volatile sig_atomic_t is_lent;

struct terminal_size terminal_size(void) {
  struct winsize size = {0};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = (struct winsize){0};
  return (struct terminal_size){size.ws_row > 0 ? size.ws_row : 24, size.ws_col > 0 ? size.ws_col : 80};
}

bool terminal_is_elsewhere(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    const pid_t foreground = tcgetpgrp(fd);
    if (foreground > 0 && foreground != getpgrp()) return true;
  }
  return false;
}

// Colours off, cursor visible, mouse reports and bracketed paste off: what a killed full-screen program leaves behind.
static void tidy(void) {
  static const char sequences[] = "\033[0m\033[?25h\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l";
  if (isatty(STDOUT_FILENO) && write(STDOUT_FILENO, sequences, sizeof sequences - 1) < 0) return; // it went away
}

void terminal_give_back(void) {
  if (!is_lent) return;
  is_lent = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &found);
  tidy();
}

static void give_back_and_die(int number) {
  terminal_give_back();
  raise(number); // with its default action again
}

static void prepare_ways_out(void) {
  static bool is_prepared;
  if (is_prepared) return;
  is_prepared = true;
  atexit(terminal_give_back);
  const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};
  struct sigaction action = {.sa_handler = give_back_and_die, .sa_flags = (int)SA_RESETHAND};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) sigaction(numbers[index], &action, NULL);
}

void terminal_lend(void) {
  if (is_lent || tcgetattr(STDIN_FILENO, &found) != 0) return;
  prepare_ways_out();
  struct termios raw = found;
  cfmakeraw(&raw);
  is_lent = 1;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool terminal_end_key(const uint8_t *bytes, size_t length) {
  static int64_t pressed[END_PRESSES]; // the last ones, oldest first
  static int count;
  bool is_end = false;
  for (size_t index = 0; index < length; index++) {
    if (bytes[index] != END_KEY) {
      count = 0; // any other key begins the count again
      continue;
    }
    if (count == END_PRESSES) {
      for (int press = 1; press < END_PRESSES; press++) pressed[press - 1] = pressed[press];
      count--;
    }
    pressed[count++] = now_ms();
    is_end |= count == END_PRESSES && pressed[END_PRESSES - 1] - pressed[0] <= END_WITHIN_MS;
  }
  return is_end;
}
