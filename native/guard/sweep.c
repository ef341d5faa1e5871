// Walks the tree along /proc/PID/task/TID/children, which costs as much as the tree is large, however many processes there are besides. Under gVisor all
// processes are looked at.
#define _GNU_SOURCE
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../cleanup.h"
#include "kernel.h"

#define PIDS_MAX 4194304u // PID_MAX_LIMIT
#define FOUND_MAX 65536u
#define PASSES_MAX 16
#define LIST_BYTES 4096
#define MARK_BASE (1ull << 40)

// Zero pages cost nothing until they are touched; every keeper has its own copy.
static uint64_t seen[PIDS_MAX / 64];
static pid_t found[FOUND_MAX];
static size_t found_count;

static rlim_t own_mark;

bool sweep_mark(uint32_t stream) {
  own_mark = MARK_BASE + stream;
  const struct rlimit mark = {own_mark, own_mark};
  return setrlimit(SWEEP_MARK, &mark) == 0;
}

bool sweep_sees_own_namespace(int proc) {
  struct statfs status;
  if (fstatfs(proc, &status) != 0 || status.f_type != PROC_SUPER_MAGIC) return false;
  char self[16] = {0};
  if (readlinkat(proc, "self", self, sizeof self - 1) <= 0 || strtol(self, NULL, 10) != getpid()) return false;
  return kernel_is_gvisor() || faccessat(proc, "thread-self/children", R_OK, 0) == 0;
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

static bool is_found(long pid) {
  return pid > 0 && pid < (long)PIDS_MAX && (seen[pid / 64] & 1ull << (pid % 64)) != 0;
}

enum kinship { STRANGER, KIN, GONE };

// "pid (name) state parent": the name may hold anything, also parentheses. What has ended waits for its parent alone.
static enum kinship kinship_of(int proc, const char *name) {
  char path[64];
  char text[512];
  snprintf(path, sizeof path, "%.16s/stat", name);
  AUTO_CLOSE const int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (length <= 0) return GONE;
  text[length] = '\0';
  const char *after = strrchr(text, ')');
  char state;
  long parent;
  if (after == NULL || sscanf(after + 1, " %c %ld", &state, &parent) != 2) return GONE;
  if (state == 'Z' || state == 'X') return STRANGER;
  if (parent == getpid() || is_found(parent)) return KIN;
  struct rlimit mark;
  if (prlimit((pid_t)strtol(name, NULL, 10), SWEEP_MARK, NULL, &mark) != 0) return errno == ESRCH ? GONE : STRANGER;
  return mark.rlim_max == own_mark ? KIN : STRANGER;
}

// Calls `found_one` for each of kin. False when one was gone before it could be judged: what it started may not be in the list.
static bool each_of_kin(int proc, void (*found_one)(pid_t)) {
  bool whole = true;
  const int own = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *processes = own < 0 ? NULL : fdopendir(own);
  if (processes == NULL) return false;
  for (struct dirent *entry = readdir(processes); entry != NULL; entry = readdir(processes)) {
    const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid <= 1 || pid == getpid()) continue;
    const enum kinship kinship = kinship_of(proc, entry->d_name);
    if (kinship == KIN) found_one(pid);
    whole = whole && kinship != GONE;
  }
  closedir(processes);
  return whole;
}

// Again and again until none is new: a child may be listed before its parent.
static void walk_marked(int proc) {
  for (size_t before = SIZE_MAX; before != found_count;) {
    before = found_count;
    each_of_kin(proc, add);
  }
}

static size_t counted;

static void count(pid_t pid) {
  (void)pid;
  counted++;
}

bool sweep_finds_marked(int proc) {
  for (;;) {
    counted = 0;
    const bool whole = each_of_kin(proc, count);
    if (counted > 0) return true;
    if (whole) return false;
  }
}

static void walk(int proc) {
  if (kernel_is_gvisor()) {
    walk_marked(proc);
    return;
  }
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
