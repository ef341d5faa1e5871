// Starts a process in a user namespace of its own, by one of the calls that can. Arguments: unshare|clone|clone3 PROOF-FILE
#include "attack.h"
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static pid_t start(const char *call) {
  if (strcmp(call, "clone") == 0) return (pid_t)syscall(SYS_clone, (long)CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0L);
  if (strcmp(call, "clone3") == 0) {
    struct clone_args how = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    return (pid_t)syscall(SYS_clone3, &how, sizeof how);
  }
  pid_t child = fork();
  if (child == 0 && unshare(CLONE_NEWUSER) != 0) _exit(1);
  return child;
}

int main(int count, char **words) {
  attempting(count, 2);
  int proof = open(words[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (proof < 0) refused("open");
  pid_t child = start(words[1]);
  if (child < 0) refused(words[1]);
  if (child == 0) {
    // Nobody is mapped yet, so a new namespace shows itself by an empty map.
    char map[64];
    int file = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && read(file, map, sizeof map) == 0 && write(proof, "inside a namespace of its own", 29) < 0) _exit(1);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  return 0;
}
