// Open addressing over keyed hashes: two different keys are taken for one with a chance of about 2^-44 in a full table.
#define _GNU_SOURCE
#include "touch-table.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "siphash.h"

#define USED_MAX (TOUCH_SLOTS / 4u * 3u)

struct touch_shared *touch_table_make(void) {
  struct touch_shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) return NULL;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  errno = pthread_mutex_init(&shared->lock, &attributes);
  if (errno != 0 || getrandom(shared->key, sizeof shared->key, 0) != (long)sizeof shared->key) return NULL;
  return shared;
}

enum touch_found touch_table_add(struct touch_shared *shared, char kind, const void *bytes, size_t length) {
  const uint64_t key[2] = {shared->key[0] ^ (uint64_t)(unsigned char)kind, shared->key[1]};
  uint64_t hash = siphash(key, bytes, length);
  if (hash == 0) hash = 1;
  uint32_t at = (uint32_t)hash & (TOUCH_SLOTS - 1);
  for (; shared->slots[at] != 0; at = (at + 1) & (TOUCH_SLOTS - 1)) {
    if (shared->slots[at] == hash) return TOUCH_KNOWN;
  }
  if (shared->count >= USED_MAX) return TOUCH_FULL;
  shared->slots[at] = hash;
  shared->count++;
  return TOUCH_NEW;
}
