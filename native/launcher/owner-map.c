// Makes each namespace with a throw-away child: only its id maps are wanted. Places of the same owner share one. Waiting for a child costs
// more than all the rest, so it is born in its namespace, and is waited for only when everything else is done.
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cleanup.h"

#define MAP_BYTES 256
#define LAST_ID 4294967294u
#define MAPS_MAX 16 // more owners than that, and the oldest map is made again

static struct {
  uid_t owner;
  gid_t group;
  int fd;
} maps[MAPS_MAX];
static size_t maps_made;

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

_Noreturn static void hold_namespace(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(1); // it must not outlive a launcher that is killed
  for (;;) pause();                                                      // until it is killed
}

static int map_namespace(pid_t pid, uid_t owner, gid_t group, uid_t allocated) {
  if (write_map(pid, "uid_map", owner, allocated) != 0 || write_map(pid, "gid_map", group, allocated) != 0) return -1;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static int make_map(uid_t owner, gid_t group, uid_t allocated) {
  const pid_t self = getpid();
  const pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid < 0) return -1;
  if (pid == 0) hold_namespace(self);
  const int fd = map_namespace(pid, owner, group, allocated);
  const int error = errno;
  kill(pid, SIGKILL);
  errno = error;
  return fd;
}

int owner_map_of(uid_t owner, gid_t group, uid_t allocated) {
  const size_t known = maps_made < MAPS_MAX ? maps_made : MAPS_MAX;
  for (size_t index = 0; index < known; index++) {
    if (maps[index].owner == owner && maps[index].group == group) return maps[index].fd;
  }
  const int fd = make_map(owner, group, allocated);
  if (fd < 0) return -1;
  const size_t place = maps_made++ % MAPS_MAX;
  if (known == MAPS_MAX) close(maps[place].fd);
  maps[place].owner = owner;
  maps[place].group = group;
  maps[place].fd = fd;
  return fd;
}

void owner_maps_end(void) {
  while (waitpid(-1, NULL, 0) > 0) continue; // all are killed already
}
