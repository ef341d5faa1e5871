// A descriptor of /proc/THREAD and one of the thread, for the last few. Of a thread that has ended neither finds anything any more, whoever has the
// number now: then it is met again.
#define _GNU_SOURCE
#include "acquaintance.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "../cleanup.h"

#define KEPT 16 // a power of two
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL // younger than the oldest headers that we build with
#endif

struct acquaintance {
  pid_t thread; // 0: none
  int directory, handle; // -1: not opened yet
};

static struct acquaintance kept[KEPT];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // of everything here, and of the use of the descriptors

static void forget(struct acquaintance *one) {
  if (one->thread == 0) return;
  close_if_open(&one->directory);
  close_if_open(&one->handle);
  one->thread = 0;
}

static struct acquaintance *place_of(pid_t thread) {
  return &kept[(unsigned)thread % KEPT];
}

static struct acquaintance *meet(pid_t thread) {
  struct acquaintance *one = place_of(thread);
  forget(one);
  *one = (struct acquaintance){.thread = thread, .directory = -1, .handle = -1};
  return one;
}

static bool has_directory(struct acquaintance *one) {
  char name[32];
  if (one->directory >= 0) return true;
  snprintf(name, sizeof name, "/proc/%d", one->thread);
  one->directory = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return one->directory >= 0;
}

// Its descriptors may not be its process's.
static bool has_handle(struct acquaintance *one) {
  if (one->handle < 0) one->handle = pidfd_open(one->thread, PIDFD_THREAD);
  return one->handle >= 0;
}

typedef int (*attempt)(struct acquaintance *one, const void *what);

// What fails is tried again as with a stranger.
static int try_with(pid_t thread, attempt try, const void *what) {
  pthread_mutex_lock(&mutex);
  struct acquaintance *one = place_of(thread);
  const bool known = one->thread == thread;
  int result = known ? try(one, what) : -1;
  if (result < 0) result = try(meet(thread), what);
  const int error = errno;
  pthread_mutex_unlock(&mutex);
  errno = error;
  return result;
}

struct file {
  const char *name;
  int flags;
};

static int try_open(struct acquaintance *one, const void *what) {
  const struct file *file = what;
  return !has_directory(one) ? -1 : openat(one->directory, file->name, file->flags);
}

int acquaintance_open(pid_t thread, const char *name, int flags) {
  return try_with(thread, try_open, &(struct file){name, flags});
}

static int try_copy(struct acquaintance *one, const void *what) {
  return !has_handle(one) ? -1 : pidfd_getfd(one->handle, *(const int *)what, 0);
}

int acquaintance_copy_descriptor(pid_t thread, int descriptor) {
  return try_with(thread, try_copy, &descriptor);
}
