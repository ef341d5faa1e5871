// The caller holds the reading end of an empty pipe: nothing can be written to it, and its last close is seen at the other end.
#define _GNU_SOURCE
#include "pointer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../cleanup.h"
#include "crew.h"
#include "git-files.h"
#include "mediator.h"

#define POINTER_BYTES 4096u // of one pointer
#define VECTORS_MAX 16u
#define LOWEST_NUMBER 16u // below it are the program's own

struct pointer {
  bool used, written, refused;
  int pipe; // the writing end
  ino_t inode;
  struct place place;
  mode_t mode;
  bool replace;
  size_t length;
  char text[POINTER_BYTES];
};

static struct pointer pointers[POINTERS_MAX];
static uint32_t reached; // no entry from here on was ever used, so that none of them takes room
static uint32_t first_number;
static atomic_int undelivered; // pipes whose reading end this process still holds, for as long as it takes to hand it over
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

uint32_t pointer_numbers(const struct message_exec *request, uint64_t open_files) {
  for (uint32_t index = 0; index < request->rlimit_count; index++) {
    const struct message_rlimit *wanted = &request->rlimits[index];
    if (wanted->resource == RLIMIT_NOFILE && wanted->value < open_files) open_files = wanted->value;
  }
  if (open_files > POINTER_NUMBERS_END) open_files = POINTER_NUMBERS_END;
  return open_files < LOWEST_NUMBER + POINTERS_MAX ? LOWEST_NUMBER : (uint32_t)open_files - POINTERS_MAX;
}

void pointer_begin(uint32_t first) {
  first_number = first;
}

void pointer_delivered(void) {
  undelivered--;
}

static bool is_closed(const struct pointer *pointer) {
  struct pollfd wait = {pointer->pipe, 0, 0};
  return poll(&wait, 1, 0) == 1 && (wait.revents & POLLERR) != 0;
}

static void let_go(struct pointer *pointer) {
  if (!pointer->written && !pointer->refused) mediator_report(pointer->place.path, GB_CALL_OPEN, GB_RULE_GIT_POINTER_UNWRITTEN, EBADF);
  close(pointer->pipe);
  place_close(&pointer->place);
  pointer->used = false;
}

static void settle(void) {
  while (undelivered > 0) sched_yield(); // else one that its program has closed would not look closed
  for (uint32_t index = 0; index < reached; index++) {
    if (pointers[index].used && is_closed(&pointers[index])) let_go(&pointers[index]);
  }
}

void pointer_finish(void) {
  pthread_mutex_lock(&mutex);
  settle();
  pthread_mutex_unlock(&mutex);
}

static void *wait_for_close(void *argument) {
  const int pipe = (int)(intptr_t)argument;
  struct pollfd wait = {pipe, 0, 0};
  while (poll(&wait, 1, -1) < 0 && errno == EINTR) continue;
  close(pipe);
  pointer_finish();
  return NULL;
}

static bool has_descriptor(const struct caller *caller, uint32_t number) {
  char name[64];
  struct stat link;
  snprintf(name, sizeof name, "/proc/%d/fd/%u", caller->thread, number);
  return lstat(name, &link) == 0;
}

// One whose number the caller has no other use for.
static struct pointer *free_pointer(const struct caller *caller) {
  for (uint32_t index = 0; index < POINTERS_MAX; index++) {
    if (!pointers[index].used && !has_descriptor(caller, first_number + index)) return &pointers[index];
  }
  return NULL;
}

static bool begin(struct pointer *pointer, int pipe, struct place *place) {
  struct stat status;
  const int watch = fcntl(pipe, F_DUPFD_CLOEXEC, 3);
  if (watch < 0) return false;
  if (fstat(pipe, &status) != 0 || !crew_start_thread(wait_for_close, (void *)(intptr_t)watch)) {
    close(watch);
    return false;
  }
  *pointer = (struct pointer){.used = true, .pipe = pipe, .inode = status.st_ino, .place = *place};
  if (pointer >= pointers + reached) reached = (uint32_t)(pointer - pointers) + 1;
  place->parent = -1;
  undelivered++;
  return true;
}

struct answer pointer_open(const struct caller *caller, struct place *place, mode_t mode, bool replace) {
  int ends[2];
  if (!place_own(place)) return answer_error(errno);
  if (pipe2(ends, O_CLOEXEC) != 0) return answer_error(errno);
  pthread_mutex_lock(&mutex);
  settle();
  struct pointer *pointer = free_pointer(caller);
  if (pointer != NULL && begin(pointer, ends[1], place)) {
    pointer->mode = mode;
    pointer->replace = replace;
    const int number = (int)(first_number + (uint32_t)(pointer - pointers));
    pthread_mutex_unlock(&mutex);
    return (struct answer){.kind = ANSWER_DESCRIPTOR, .descriptor = ends[0], .number = number, .is_pointer = true};
  }
  pthread_mutex_unlock(&mutex);
  close(ends[0]);
  close(ends[1]);
  mediator_report(place->path, GB_CALL_OPEN, GB_RULE_CROWDED, ENFILE);
  return answer_error(ENFILE);
}

// The pointer that the caller's descriptor is, or NULL: it may have closed its own and opened something else with the number.
static struct pointer *find(const struct caller *caller, int descriptor) {
  const uint32_t index = (uint32_t)descriptor - first_number;
  if (index >= POINTERS_MAX || !pointers[index].used) return NULL;
  struct stat status;
  AUTO_CLOSE const int copy = caller_copy_descriptor(caller, descriptor);
  if (copy < 0 || fstat(copy, &status) != 0 || !S_ISFIFO(status.st_mode)) return NULL;
  return status.st_ino == pointers[index].inode ? &pointers[index] : NULL;
}

static struct answer refuse(struct pointer *pointer) {
  if (!pointer->refused) mediator_report(pointer->place.path, GB_CALL_OPEN, GB_RULE_GIT_POINTER, EACCES);
  pointer->refused = true; // told once: libraries try again when they close
  return answer_error(EACCES);
}

// What was written before and what comes now, as one text.
static struct answer commit(struct pointer *pointer, size_t more) {
  mediation_lock(true);
  const bool refreshed = place_refresh(&pointer->place);
  const struct verdict verdict = place_judge(&pointer->place);
  const bool stands = refreshed && (verdict.kind == PLACE_GIT_POINTER || verdict.kind == PLACE_GIT_DIRECTORY);
  const int error = stands ? git_write_pointer(&pointer->place, pointer->text, pointer->length + more, pointer->mode, pointer->replace) : GIT_REFUSED;
  mediation_unlock();
  if (error == GIT_REFUSED) return refuse(pointer);
  if (error != 0) return answer_error(error);
  pointer->length += more;
  pointer->written = pointer->replace = true;
  return (struct answer){.kind = ANSWER_ERROR, .value = (long)more};
}

static struct answer write_parts(const struct caller *caller, struct pointer *pointer, const struct iovec *parts, size_t count) {
  size_t more = 0;
  for (size_t index = 0; index < count; index++) {
    const size_t room = POINTER_BYTES - pointer->length - more;
    if (parts[index].iov_len > room) return refuse(pointer);
    if (parts[index].iov_len == 0) continue;
    if (!caller_read(caller, (uint64_t)(uintptr_t)parts[index].iov_base, pointer->text + pointer->length + more, parts[index].iov_len)) return answer_error(EFAULT);
    more += parts[index].iov_len;
  }
  if (!caller_waits(caller)) return answer_error(EINTR);
  return more == 0 ? answer_error(0) : commit(pointer, more);
}

static struct answer write_any(const struct caller *caller, int descriptor, const struct iovec *parts, size_t count) {
  pthread_mutex_lock(&mutex);
  struct pointer *pointer = find(caller, descriptor);
  const struct answer answer = pointer == NULL ? answer_continue() : write_parts(caller, pointer, parts, count);
  pthread_mutex_unlock(&mutex);
  return answer;
}

struct answer pointer_write(const struct caller *caller, int descriptor, uint64_t address, uint64_t length) {
  const struct iovec part = {(void *)(uintptr_t)address, length}; // NOLINT: an address of the caller's
  return write_any(caller, descriptor, &part, 1);
}

struct answer pointer_write_vector(const struct caller *caller, int descriptor, uint64_t vectors, uint64_t count) {
  struct iovec parts[VECTORS_MAX];
  if (count == 0 || count > VECTORS_MAX || !caller_read(caller, vectors, parts, count * sizeof *parts)) return answer_continue();
  return write_any(caller, descriptor, parts, count);
}
