// Attaches to another process as a debugger would. Arguments: PID|parent PROOF-FILE
#include "attack.h"
#include <sys/ptrace.h>

int main(int count, char **words) {
  attempting(count, 2);
  pid_t target = strcmp(words[1], "parent") == 0 ? getppid() : (pid_t)atoi(words[1]);
  if (ptrace(PTRACE_SEIZE, target, NULL, NULL) != 0) refused("ptrace");
  write_proof(words[2], "attached");
  return 0;
}
