// Session, terminal, streams, directory; then the walls; then execve. The PATH is searched behind the walls, with the command's own eyes.
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

// Nothing is ignored since the guard began, and execve(2) forgets handlers.
static void unblock_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// The streams may sit on each other's numbers: first lift them above 2, then put them down.
static int place_streams(const int streams[3]) {
  int lifted[3];
  for (int index = 0; index < 3; index++) {
    lifted[index] = fcntl(streams[index], F_DUPFD_CLOEXEC, 3);
    if (lifted[index] < 0) return errno;
  }
  for (int index = 0; index < 3; index++) {
    if (dup2(lifted[index], index) < 0) return errno;
  }
  return 0;
}

static const char *value_of(char *const *environment, const char *name) {
  const size_t length = strlen(name);
  for (; *environment != NULL; environment++) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
  }
  return NULL;
}

static const char *find_path(char *const *environment) {
  const char *given = value_of(environment, "PATH");
  return given == NULL ? DEFAULT_PATH : given;
}

// New and empty, in a directory that stays where it is: what somebody put there before under this name, a link too, refuses.
static int make_output(char *const *environment) {
  const char *directory = value_of(environment, "OUTPUT_DIR");
  if (directory == NULL) return ENOENT;
  return mkdir(directory, 0700) == 0 ? 0 : errno;
}

static bool join(char *out, size_t room, const char *directory, size_t length, const char *name) {
  const size_t name_length = strlen(name);
  if (length + name_length + 2 > room) return false;
  memcpy(out, directory, length);
  if (length > 0) out[length++] = '/';
  memcpy(out + length, name, name_length + 1);
  return true;
}

// As execvp: a directory without the file is passed over, a file that may not be executed is remembered. Returns the errno.
static int execute(const struct child_plan *plan) {
  const char *name = plan->argv[0];
  if (strchr(name, '/') != NULL || *name == '\0') {
    execve(name, plan->argv, plan->environment);
    return errno;
  }
  int worst = ENOENT;
  char candidate[PATH_BYTES];
  for (const char *at = find_path(plan->environment);; at++) {
    const size_t length = strcspn(at, ":");
    if (join(candidate, sizeof candidate, at, length, name)) {
      execve(candidate, plan->argv, plan->environment);
      if (errno == EACCES) worst = EACCES;
      else if (errno != ENOENT && errno != ENOTDIR) return errno;
    }
    at += length;
    if (*at == '\0') return worst;
  }
}

_Noreturn static void fail(volatile struct child_failure *failure, uint32_t stage, int error) {
  failure->stage = stage;
  failure->error = (uint32_t)error;
  _exit(1);
}

_Noreturn void child_run(const struct child_plan *plan, volatile struct child_failure *failure) {
  setsid();
  const int error = place_streams(plan->streams);
  if (error != 0) fail(failure, GB_STAGE_FORK, error);
  if (plan->request.pty && ioctl(0, TIOCSCTTY, 0) != 0) fail(failure, GB_STAGE_TERMINAL, errno);
  umask((mode_t)plan->request.umask);
  if (chdir(plan->cwd) != 0) fail(failure, GB_STAGE_CWD, errno);
  // Before the walls: behind them the mediator makes directories, and it does not serve this process yet.
  const int unmade = plan->request.makes_output ? make_output(plan->environment) : 0;
  if (unmade != 0) fail(failure, GB_STAGE_OUTPUT, unmade);
  const struct wall_failure missing = wall_raise(&plan->wall, &plan->request);
  failure->wall.error = missing.error;
  failure->wall.wall = missing.wall;
  if (missing.wall != 0) _exit(1);
  unblock_signals();
  fail(failure, GB_STAGE_EXEC, execute(plan));
}
