// Walks the tree along /proc/PID/task/TID/children, which costs as much as the tree is large, however many processes there are besides.
#define _GNU_SOURCE
#include "sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../cleanup.h"

#define PIDS_MAX 4194304u // PID_MAX_LIMIT
#define FOUND_MAX 65536u
#define PASSES_MAX 16
#define LIST_BYTES 4096

// Zero pages cost nothing until they are touched; every keeper has its own copy.
static uint64_t seen[PIDS_MAX / 64];
static pid_t found[FOUND_MAX];
static size_t found_count;

bool sweep_sees_own_namespace(int proc) {
  struct statfs status;
  if (fstatfs(proc, &status) != 0 || status.f_type != PROC_SUPER_MAGIC) return false;
  char self[16] = {0};
  if (readlinkat(proc, "self", self, sizeof self - 1) <= 0 || strtol(self, NULL, 10) != getpid()) return false;
  return faccessat(proc, "thread-self/children", R_OK, 0) == 0;
}

static void add(pid_t pid) {
  const uint64_t bit = 1ull << ((unsigned)pid % 64);
  uint64_t *word = &seen[(unsigned)pid / 64];
  if (pid <= 0 || (unsigned)pid >= PIDS_MAX || (*word & bit) != 0 || found_count == FOUND_MAX) return;
  *word |= bit;
  found[found_count++] = pid;
  kill(pid, SIGSTOP); // before its own children are read: from here on they only get fewer
}

static void add_children_in(int task, const char *thread) {
  char path[64];
  snprintf(path, sizeof path, "%.16s/children", thread);
  AUTO_CLOSE const int fd = openat(task, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char list[LIST_BYTES];
  long pid = 0; // a number may be cut in two by the end of the buffer
  for (ssize_t length = read(fd, list, sizeof list); length > 0; length = read(fd, list, sizeof list)) {
    for (ssize_t at = 0; at < length; at++) {
      if (list[at] >= '0' && list[at] <= '9') {
        pid = pid * 10 + (list[at] - '0');
      } else {
        add((pid_t)pid);
        pid = 0;
      }
    }
  }
}

// Children belong to the thread that made them.
static void add_children_of(int proc, pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "%d/task", pid);
  const int task = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *threads = task < 0 ? NULL : fdopendir(task);
  if (threads == NULL) return;
  for (struct dirent *entry = readdir(threads); entry != NULL; entry = readdir(threads)) {
    if (entry->d_name[0] != '.') add_children_in(task, entry->d_name);
  }
  closedir(threads);
}

static void walk(int proc) {
  add_children_of(proc, getpid()); // orphans come to us, so a tree that loses its middle is still found
  for (size_t index = 0; index < found_count; index++) add_children_of(proc, found[index]);
}

void sweep_descendants(int proc) {
  for (int pass = 0; pass < PASSES_MAX; pass++) {
    const size_t before = found_count;
    walk(proc);
    if (found_count == before) break; // all are stopped, and none is new
  }
  for (size_t index = 0; index < found_count; index++) {
    kill(found[index], SIGKILL);
    seen[(unsigned)found[index] / 64] = 0;
  }
  found_count = 0;
}
