// Keyed hashes of device, inode and time of birth: a later file may have the number, but not the birth as well. Binding makes a file, and no other
// socket is ever bound to it. Where more are bound than fit, the oldest are forgotten, and refused. Each entry is one word: no lock.
#define _GNU_SOURCE
#include "bound-sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "siphash.h"

#define KEPT 1024u
#define WANTED (STATX_TYPE | STATX_INO | STATX_BTIME)

// In memory that all keepers of one guard share.
struct bound {
  uint64_t key[2];
  atomic_uint next;
  _Atomic uint64_t marks[KEPT]; // 0: none
};

static struct bound *bound;

int bound_sockets_prepare(void) {
  struct bound *memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  if (getrandom(memory->key, sizeof memory->key, 0) != (long)sizeof memory->key) return EIO;
  bound = memory;
  return 0;
}

// 0 for what is no socket, or cannot be told from a later one.
static uint64_t mark_of(int directory, const char *name) {
  struct statx seen;
  if (statx(directory, name, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, WANTED, &seen) != 0) return 0;
  if ((seen.stx_mask & WANTED) != WANTED || !S_ISSOCK(seen.stx_mode)) return 0;
  const uint64_t key[4] = {(uint64_t)seen.stx_dev_major << 32 | seen.stx_dev_minor, seen.stx_ino, (uint64_t)seen.stx_btime.tv_sec, seen.stx_btime.tv_nsec};
  return siphash(bound->key, key, sizeof key);
}

void bound_sockets_add(int directory, const char *name) {
  const uint64_t mark = mark_of(directory, name);
  if (mark != 0) atomic_store(&bound->marks[atomic_fetch_add(&bound->next, 1) % KEPT], mark);
}

bool bound_sockets_hold(int file) {
  const uint64_t mark = mark_of(file, "");
  for (unsigned index = 0; index < KEPT && mark != 0; index++) {
    if (atomic_load(&bound->marks[index]) == mark) return true;
  }
  return false;
}
