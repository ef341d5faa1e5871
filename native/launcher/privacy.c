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

// What the kernel counts for a user of the host, whatever namespace he is in: without a limit of its own one sandbox takes all that he may have, and
// no editor of his, no other sandbox's masker watches anything any more. Watches are many, and a sandbox's own masker needs some of its share.
static const struct share {
  const char *from, *to;
  unsigned quarters;
} shares[] = {
    {"/proc/sys/fs/inotify/max_user_instances", "/proc/sys/user/max_inotify_instances", 1},
    {"/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches", 3},
};

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

static bool read_number(const char *path, unsigned *number) {
  char text[24] = "";
  AUTO_CLOSE const int file = open(path, O_RDONLY | O_CLOEXEC);
  return file >= 0 && read(file, text, sizeof text - 1) > 0 && sscanf(text, "%u", number) == 1;
}

// No wall: where /proc/sys is read-only for everybody the sandbox has what any other program of its user has.
static void take_shares(void) {
  for (size_t index = 0; index < sizeof shares / sizeof *shares; index++) {
    unsigned whole;
    char line[24];
    if (!read_number(shares[index].from, &whole)) continue;
    snprintf(line, sizeof line, "%u\n", whole / 4 * shares[index].quarters);
    if (!write_text(shares[index].to, line)) return;
  }
}

static int enter_user_namespace(void) {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return failure(STEP_PRIVACY, NULL, errno);
  if (!write_text("/proc/self/setgroups", "deny") || !keep_id("/proc/self/uid_map", uid) || !keep_id("/proc/self/gid_map", gid)) {
    return failure(STEP_PRIVACY, NULL, errno);
  }
  take_shares();
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
