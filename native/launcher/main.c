// launcher [--sandbox=ID] < LAYOUT
//
// Lays out what a sandbox sees of the host, below a staging directory in a mount namespace of its own, and becomes the command that the layout
// names (normally bubblewrap, which takes the view with one mount). Half of it goes on meanwhile: what the layout says after the command
// appears in the view wherever that is shown by then. Started as root the layout also names an allocated uid that owns nothing on the host:
// the command gets it, and what it is to own appears to be its. Open descriptors are passed on as they are.
// --sandbox only marks the command line, for whoever looks for leftovers. The operations: docs/formats.md.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <signal.h>

#include "../cleanup.h"
#include "failure.h"
#include "identity.h"
#include "layout.h"
#include "operations.h"
#include "owner-map.h"
#include "privacy.h"
#include "stage.h"

#define SANDBOX "--sandbox="

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

static int become(char **command, const struct stage *stage, pid_t parent) {
  // What comes after us reads nothing of the layout, and has no way to the host through it.
  close(STDIN_FILENO);
  if (open("/dev/null", O_RDONLY) != STDIN_FILENO) return failure(STEP_IDENTITY, NULL, EBADF);
  umask(022);
  const int status = stage->allocates ? identity_become(stage->uid, parent) : stay(parent);
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

int main(int argc, char **argv) {
  const pid_t parent = getppid();
  if (argc > 2 || (argc == 2 && strncmp(argv[1], SANDBOX, strlen(SANDBOX)) != 0)) return failure(STEP_USAGE, NULL, EINVAL);
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
