// A lock of the open file, which all keepers of one guard have in common: the first of them that shares it takes it, the last gives it back.
// A byte before it is held by who waits for it alone, so that others who come and go cannot keep it waiting for ever.
#define _GNU_SOURCE
#include "shared-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GATE 0
#define PLACE 1
#define LIVING 2 // shared by whoever is counted as waiting

// In memory of this sandbox's keepers.
struct crew {
  pthread_mutex_t mutex;
  uint32_t sharing;
  bool waited; // whoever has it alone
};

static int file = -1;
static struct crew *crew;
static atomic_uint *waiting; // in the file itself: how many sandboxes want it alone

int shared_lock_prepare(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return errno;
  if (!S_ISREG(status.st_mode) || (size_t)status.st_size < sizeof *waiting) return EBADF;
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return errno;
  void *page = mmap(NULL, sizeof *waiting, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) return errno;
  waiting = page;
  crew = mmap(NULL, sizeof *crew, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (crew == MAP_FAILED) return errno;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  file = descriptor;
  return pthread_mutex_init(&crew->mutex, &attributes);
}

int shared_lock_descriptor(void) {
  return file;
}

// Fails closed: a keeper that cannot lock must not go on.
static void set(short type, off_t byte) {
  struct flock wanted = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  while (fcntl(file, F_OFD_SETLKW, &wanted) != 0) {
    if (errno != EINTR) _exit(1);
  }
}

static bool take_at_once(off_t byte) {
  struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(file, F_OFD_SETLK, &wanted) == 0;
}

// Whoever was killed while waiting is still counted: when nobody who lives waits, the count starts again.
static bool nobody_waits(void) {
  if (atomic_load(waiting) == 0) return true;
  pthread_mutex_lock(&crew->mutex); // what one of us has locked does not keep another of us out
  const bool forgotten = take_at_once(LIVING);
  if (forgotten) {
    atomic_store(waiting, 0);
    set(F_UNLCK, LIVING);
  }
  pthread_mutex_unlock(&crew->mutex);
  return forgotten;
}

static void take_alone(void) {
  crew->waited = !nobody_waits() || !take_at_once(PLACE); // else another sandbox has it, and is waited for
  if (!crew->waited) return;
  set(F_RDLCK, LIVING);
  atomic_fetch_add(waiting, 1);
  set(F_WRLCK, GATE);
  set(F_WRLCK, PLACE);
}

static void share(void) {
  if (!nobody_waits()) {
    set(F_RDLCK, GATE);
    set(F_UNLCK, GATE);
  }
  pthread_mutex_lock(&crew->mutex);
  if (crew->sharing++ == 0) set(F_RDLCK, PLACE);
  pthread_mutex_unlock(&crew->mutex);
}

void shared_lock_take(bool exclusive) {
  if (file < 0) return;
  if (exclusive) take_alone();
  else share();
}

void shared_lock_release(bool exclusive) {
  if (file < 0) return;
  if (exclusive) {
    const bool waited = crew->waited; // the next to take it may write there as soon as the place is free
    set(F_UNLCK, PLACE);
    if (!waited) return;
    set(F_UNLCK, GATE);
    atomic_fetch_sub(waiting, 1);
    set(F_UNLCK, LIVING);
    return;
  }
  pthread_mutex_lock(&crew->mutex);
  if (--crew->sharing == 0) set(F_UNLCK, PLACE);
  pthread_mutex_unlock(&crew->mutex);
}
