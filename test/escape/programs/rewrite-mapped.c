// Changes a file's first bytes through a shared mapping, which leaves a setuid bit where write() would take it away. Arguments: FILE TEXT
#include "attack.h"
#include <sys/mman.h>

int main(int count, char **words) {
  attempting(count, 2);
  int file = open(words[1], O_RDWR);
  if (file < 0) refused("open");
  size_t length = strlen(words[2]);
  char *bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) refused("mmap");
  memcpy(bytes, words[2], length);
  return msync(bytes, length, MS_SYNC) == 0 ? 0 : 1;
}
