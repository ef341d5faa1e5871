// No id changes here, so the kernel itself takes the capabilities away at exec: they belong to uid 0, which this user namespace has not.
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failure.h"

_Noreturn static void become(char **argv, pid_t parent) {
  static char *const nothing[] = {NULL};
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(failure(STEP_PARENT, ESRCH));
  execve(argv[0], argv, nothing);
  _exit(failure(STEP_EXEC, errno));
}

pid_t command_start(char **argv) {
  const pid_t self = getpid();
  const pid_t command = fork();
  if (command == 0) become(argv, self);
  return command;
}

void command_stop(pid_t command) {
  kill(command, SIGKILL);
  waitpid(command, NULL, 0);
}

int command_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
