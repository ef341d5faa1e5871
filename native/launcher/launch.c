// What every launcher does, started for one sandbox or forked for it: two halves, of which one becomes the command.
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "failure.h"
#include "identity.h"
#include "layout.h"
#include "operations.h"
#include "owner-map.h"
#include "privacy.h"
#include "stage.h"

#define CHANNEL_FD 3

// An ordinary user stays who he is; the capabilities of his user namespace end with execve(2).
static int stay(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failure(STEP_IDENTITY, NULL, errno);
  return getppid() == parent ? 0 : failure(STEP_PARENT, NULL, ESRCH);
}

// When the machine runs out of memory the kernel ends what is in a sandbox before anything else. No wall: a command may take it back for itself.
static void go_first(void) {
  static const char most[] = "1000";
  AUTO_CLOSE const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0 && write(file, most, sizeof most - 1) < 0) return; // without it the host ends the sandbox when memory grows scarce, as it does anyway
}

// What comes after us reads nothing of the layout, and has no way to the host through it: a pipe that nobody writes to. Not /dev/null: crun gives
// what it finds as its streams to its container's user, and there is one /dev/null for the whole machine.
static int read_nothing(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure(STEP_IDENTITY, NULL, errno);
  AUTO_CLOSE const int from = ends[0];
  AUTO_CLOSE const int to = ends[1];
  (void)to;
  return dup2(from, STDIN_FILENO) == STDIN_FILENO ? 0 : failure(STEP_IDENTITY, NULL, errno);
}

static int read_channel(void) {
  if (dup2(CHANNEL_FD, STDIN_FILENO) != STDIN_FILENO || close(CHANNEL_FD) != 0) return failure(STEP_IDENTITY, NULL, errno);
  return 0;
}

static int become(char **command, const struct stage *stage, pid_t parent) {
  int status = stage->speaks ? read_channel() : read_nothing();
  if (status != 0) return status;
  umask(022);
  status = stage->allocates && !stage->manages ? identity_become(stage->uid, parent) : stay(parent);
  if (status != 0) return status;
  if (chdir("/") != 0 || (stage->root >= 0 && access(stage->path, X_OK) != 0)) return failure(STEP_STAGE, stage->path, errno); // a closed directory above it
  execv(command[0], command);
  return failure(STEP_EXEC, command[0], errno);
}

// The other half: it ends with the view, with the layout, or with the command, whatever comes first.
static int go_on(struct layout *layout, struct stage *stage, pid_t command) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != command) return STEP_PARENT;
  // What was handed down is the command's alone: an end of a channel that stayed open here would hide that the command's was closed.
  syscall(SYS_close_range, STDERR_FILENO + 1, stage->root < 0 ? ~0u : (unsigned)stage->root - 1, 0);
  if (layout_is_over(layout)) return 0; // nothing more was asked for
  const int status = operations_do(layout, stage, NULL);
  owner_maps_end();
  if (status == 0) fputs("launcher: whole\n", stderr);
  return status;
}

int launch(pid_t parent) {
  struct stage stage = {.root = -1, .uid = geteuid(), .gid = getegid()};
  struct layout layout = {0};
  char **command = NULL;
  go_first();
  int status = privacy_enter(); // while the layout is still being written
  if (status != 0) return status;
  umask(0); // modes are what the layout says
  status = operations_do(&layout, &stage, &command);
  owner_maps_end();
  if (status == 0 && geteuid() == 0 && !stage.allocates) status = failure(STEP_USAGE, NULL, EPERM); // root itself runs nothing
  if (status != 0) return status;
  const pid_t self = getpid();
  const pid_t half = fork();
  if (half == 0) _exit(go_on(&layout, &stage, self));
  return half < 0 ? failure(STEP_EXEC, command[0], errno) : become(command, &stage, parent);
}
