// An ordinary user may mount in a user namespace only. Its capabilities end with execve(2), as for everybody whose id is not 0 in it.
#define _GNU_SOURCE
#include "privacy.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../cleanup.h"
#include "failure.h"

static bool write_text(const char *path, const char *text) {
  AUTO_CLOSE const int file = open(path, O_WRONLY | O_CLOEXEC);
  const size_t length = strlen(text);
  return file >= 0 && write(file, text, length) == (ssize_t)length;
}

static bool keep_id(const char *path, unsigned id) {
  char line[40];
  snprintf(line, sizeof line, "%u %u 1\n", id, id);
  return write_text(path, line);
}

static int enter_user_namespace(void) {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return failure(STEP_PRIVACY, NULL, errno);
  if (!write_text("/proc/self/setgroups", "deny") || !keep_id("/proc/self/uid_map", uid) || !keep_id("/proc/self/gid_map", gid)) {
    return failure(STEP_PRIVACY, NULL, errno);
  }
  return 0;
}

int privacy_enter(void) {
  int status = 0;
  if (geteuid() != 0) status = enter_user_namespace();
  else if (unshare(CLONE_NEWNS) != 0) status = failure(STEP_NAMESPACE, NULL, errno);
  if (status != 0) return status;
  // The host's later mounts still arrive; ours never leave.
  return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 ? 0 : failure(STEP_NAMESPACE, NULL, errno);
}
