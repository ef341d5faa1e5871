// Makes the namespace with a throw-away child: only its id maps are wanted.
#define _GNU_SOURCE
#include "owner-map.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cleanup.h"

#define MAP_BYTES 256
#define LAST_ID 4294967294u

// Lines "on disk, shown, count": the two ids trade places as far as `owner` goes; on disk `allocated` is nobody.
static int describe(char *text, uint32_t owner, uint32_t allocated) {
  if (owner == allocated) return snprintf(text, MAP_BYTES, "0 0 %u\n", LAST_ID);
  const uint32_t low = owner < allocated ? owner : allocated;
  const uint32_t high = owner < allocated ? allocated : owner;
  int length = 0;
  if (low > 0) length += snprintf(text, MAP_BYTES, "0 0 %u\n", low);
  if (high > low + 1) length += snprintf(text + length, (size_t)(MAP_BYTES - length), "%u %u %u\n", low + 1, low + 1, high - low - 1);
  if (high < LAST_ID) length += snprintf(text + length, (size_t)(MAP_BYTES - length), "%u %u %u\n", high + 1, high + 1, LAST_ID - high);
  return length + snprintf(text + length, (size_t)(MAP_BYTES - length), "%u %u 1\n", owner, allocated);
}

static int write_map(pid_t pid, const char *name, uint32_t owner, uint32_t allocated) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  AUTO_CLOSE const int fd = open(path, O_WRONLY | O_CLOEXEC);
  char text[MAP_BYTES];
  const int length = describe(text, owner, allocated);
  return fd >= 0 && write(fd, text, (size_t)length) == length ? 0 : -1;
}

_Noreturn static void hold_namespace(int ready, pid_t parent) {
  const char status = unshare(CLONE_NEWUSER) == 0 ? 0 : (char)errno;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1); // it must not outlive a launcher that is killed
  if (write(ready, &status, 1) != 1) _exit(1);
  for (;;) pause(); // until it is killed
}

static int map_namespace(pid_t pid, int ready, uid_t owner, gid_t group, uid_t allocated) {
  char status;
  if (read(ready, &status, 1) != 1) return -1;
  if (status != 0) {
    errno = status;
    return -1;
  }
  if (write_map(pid, "uid_map", owner, allocated) != 0 || write_map(pid, "gid_map", group, allocated) != 0) return -1;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  return open(path, O_RDONLY | O_CLOEXEC);
}

int owner_map_open(uid_t owner, gid_t group, uid_t allocated) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid == 0) hold_namespace(ends[1], self);
  close(ends[1]);
  const int fd = pid < 0 ? -1 : map_namespace(pid, ends[0], owner, group, allocated);
  const int error = errno;
  close(ends[0]);
  if (pid > 0) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  errno = error;
  return fd;
}
