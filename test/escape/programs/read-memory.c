// Reads the memory of another process, by /proc and by the call made for it. Arguments: PID ADDRESS LENGTH
#include "attack.h"
#include <sys/uio.h>

int main(int count, char **words) {
  attempting(count, 3);
  char text[256] = {0};
  unsigned long address = strtoul(words[2], NULL, 10);
  size_t length = strtoul(words[3], NULL, 10);
  if (length >= sizeof text) return 2;
  struct iovec here = {text, length};
  struct iovec there = {(void *)address, length};
  if (process_vm_readv(atoi(words[1]), &here, 1, &there, 1, 0) > 0) printf("call: %s\n", text);
  else printf("refused: process_vm_readv: %s\n", strerrorname_np(errno));
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/mem", words[1]);
  int memory = open(path, O_RDONLY | O_CLOEXEC);
  if (memory < 0) refused("open mem");
  memset(text, 0, sizeof text);
  if (pread(memory, text, length, (off_t)address) < 0) refused("pread");
  printf("file: %s\n", text);
  return 0;
}
