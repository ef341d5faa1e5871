// Creates a file through the x32 numbers, which carry a bit that a filter may forget. Argument: FILE
#include "attack.h"

int main(int count, char **words) {
  attempting(count, 1);
#if defined(__x86_64__)
  long file = syscall(0x40000000L | SYS_creat, words[1], 0666);
#else
  long file = -1;
  errno = ENOSYS; // this processor has no such entry
#endif
  if (file < 0) refused("x32 creat");
  return 0;
}
