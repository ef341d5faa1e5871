// A host-side helper, not an attack: removes a System V shared memory segment. Argument: KEY
#include "attack.h"
#include <sys/ipc.h>
#include <sys/shm.h>

int main(int count, char **words) {
  if (count < 2) return 2;
  int segment = shmget((key_t)strtol(words[1], NULL, 10), 0, 0);
  if (segment >= 0 && shmctl(segment, IPC_RMID, NULL) != 0) refused("shmctl");
  return 0;
}
