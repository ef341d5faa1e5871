// Threads may have one umask in common, and what a thread asked for takes effect some time after it was let go on. So what the kernel says is kept
// only if every change asked for before is known to be over, and no other was asked for since.
#define _GNU_SOURCE
#include "umasks.h"

#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "acquaintance.h"

#define KEPT 16
#define CHANGING_MAX 8
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL // younger than the oldest headers that we build with
#endif

// True of a thread as long as it lives and `serial` is the last.
struct known {
  pid_t thread; // 0: none
  int handle;
  mode_t mask;
  uint64_t serial;
};

// A thread that was let go on, and the file that says in which call it is.
struct changing {
  pid_t thread; // 0: none
  int call;
};

static struct known known[KEPT];
static struct changing changing[CHANGING_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // of everything here
static uint64_t serial;                                   // of the last change, 0: there was none
static mode_t first;
static bool lost_count; // too many changed at once

void umasks_begin(mode_t mask) {
  first = mask;
}

static void keep(pid_t thread, mode_t mask) {
  struct known *one = &known[(unsigned)thread % KEPT];
  if (one->thread != 0) close(one->handle);
  *one = (struct known){thread, pidfd_open(thread, PIDFD_THREAD), mask, serial};
  if (one->handle < 0) one->thread = 0;
}

static bool find(pid_t thread, mode_t *mask) {
  const struct known *one = &known[(unsigned)thread % KEPT];
  if (one->thread != thread || one->serial != serial) return false;
  struct pollfd wait = {one->handle, POLLIN, 0};
  *mask = one->mask;
  return poll(&wait, 1, 0) == 0; // else another thread has the number
}

static void end(struct changing *one) {
  close(one->call);
  one->thread = 0;
}

// Whoever makes another call, or has the number of one that ended, is not changing any more.
static void end_of(pid_t thread) {
  for (size_t index = 0; index < CHANGING_MAX; index++) {
    if (changing[index].thread == thread) end(&changing[index]);
  }
}

static void add(pid_t thread) {
  for (size_t index = 0; index < CHANGING_MAX; index++) {
    if (changing[index].thread != 0) continue;
    changing[index] = (struct changing){thread, acquaintance_open(thread, "syscall", O_RDONLY | O_CLOEXEC)};
    if (changing[index].call >= 0) return;
    changing[index].thread = 0;
    break;
  }
  lost_count = true;
}

// "NUMBER arguments..." of a thread that waits in a call, nothing of one that has ended. One that runs may still be changing.
static bool is_over(const struct changing *one) {
  char text[32];
  const ssize_t length = pread(one->call, text, sizeof text - 1, 0);
  if (length < 0) return true;
  text[length] = '\0';
  return isdigit((unsigned char)text[0]) && strtol(text, NULL, 10) != SYS_umask;
}

static bool all_are_over(void) {
  for (size_t index = 0; index < CHANGING_MAX; index++) {
    if (changing[index].thread == 0) continue;
    if (!is_over(&changing[index])) return false;
    end(&changing[index]);
  }
  return !lost_count;
}

void umasks_change(const struct caller *caller, uint64_t mask) {
  const mode_t wanted = (mode_t)(mask & 0777);
  pthread_mutex_lock(&mutex);
  end_of(caller->thread);
  if (serial != 0 || wanted != first) {
    serial++;
    add(caller->thread);
    keep(caller->thread, wanted); // for its own next call, which it makes when this one is over
  }
  pthread_mutex_unlock(&mutex);
}

bool umasks_of(const struct caller *caller, mode_t *mask) {
  *mask = first;
  pthread_mutex_lock(&mutex);
  end_of(caller->thread);
  const uint64_t before = serial;
  const bool is_known = before == 0 || find(caller->thread, mask);
  const bool settled = !is_known && all_are_over();
  pthread_mutex_unlock(&mutex);
  if (is_known) return true;
  if (!caller_look_up_umask(caller, mask)) return false;
  pthread_mutex_lock(&mutex);
  if (settled && serial == before) keep(caller->thread, *mask);
  pthread_mutex_unlock(&mutex);
  return true;
}

bool umasks_take(const struct caller *caller) {
  static _Thread_local mode_t own = 01000; // none yet
  mode_t mask;
  if (!umasks_of(caller, &mask)) return false;
  if (mask != own) umask(own = mask);
  return true;
}
