// Leaves a System V shared memory segment with a known key, through which processes of the same user talk past every file rule. Argument: KEY
#include "attack.h"
#include <sys/ipc.h>
#include <sys/shm.h>

int main(int count, char **words) {
  attempting(count, 1);
  if (shmget((key_t)strtol(words[1], NULL, 10), 4096, IPC_CREAT | 0666) < 0) refused("shmget");
  return 0;
}
