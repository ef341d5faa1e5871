// Creates a file through the 32-bit entry of the kernel, whose numbers a filter for 64 bits misreads. Argument: FILE
#include "attack.h"
#include <signal.h>
#include <sys/mman.h>

#if defined(__x86_64__)
static long call32(long number, long first, long second, long third) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory", "r8", "r9", "r10", "r11");
  return (int)result;
}

// A kernel without the entry (ia32_emulation=0) lets the processor refuse it.
static void entry_missing(int number) {
  (void)number;
  static const char text[] = "refused: int80 creat: ENOSYS\n";
  ssize_t written = write(STDOUT_FILENO, text, sizeof text - 1);
  (void)written;
  _exit(1);
}

int main(int count, char **words) {
  attempting(count, 1);
  signal(SIGSEGV, entry_missing);
  char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (low == MAP_FAILED) refused("mmap");
  snprintf(low, 4096, "%s", words[1]);
  long result = call32(8, (long)low, 0666, 0); // creat
  errno = (int)-result;
  if (result < 0) refused("int80 creat");
  return 0;
}
#else
int main(int count, char **words) {
  (void)words;
  attempting(count, 1);
  errno = ENOSYS; // this processor has no such entry
  refused("int80 creat");
}
#endif
