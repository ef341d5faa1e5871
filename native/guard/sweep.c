// Reads parents from /proc/PID/stat, marks what descends from us, and signals it.
#define _GNU_SOURCE
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../cleanup.h"

#define PROCESSES_MAX 32768
#define PASSES_MAX 16

struct process {
  pid_t pid, parent;
  bool running, ours;
};

struct snapshot {
  struct process *processes; // by rising pid, as /proc lists them
  size_t count;
};

bool sweep_sees_own_namespace(int proc) {
  struct statfs status;
  if (fstatfs(proc, &status) != 0 || status.f_type != PROC_SUPER_MAGIC) return false;
  char self[16] = {0};
  if (readlinkat(proc, "self", self, sizeof self - 1) <= 0) return false;
  return strtol(self, NULL, 10) == getpid();
}

static bool read_process(int proc, const char *name, struct process *process) {
  char path[32];
  if (snprintf(path, sizeof path, "%.16s/stat", name) < 0) return false;
  AUTO_CLOSE const int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[512];
  const ssize_t length = read(fd, text, sizeof text - 1);
  if (length <= 0) return false;
  text[length] = '\0';
  const char *after_name = strrchr(text, ')'); // the name itself may hold anything
  char state;
  int parent;
  if (after_name == NULL || sscanf(after_name, ") %c %d", &state, &parent) != 2) return false;
  // A zombie may still lead living threads, so it stays in the table.
  *process = (struct process){(pid_t)strtol(name, NULL, 10), parent, strchr("TtZX", state) == NULL, false};
  return true;
}

static void take_snapshot(int proc, struct snapshot *snapshot) {
  snapshot->count = 0;
  const int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd < 0 ? NULL : fdopendir(fd);
  if (directory == NULL) return;
  for (struct dirent *entry = readdir(directory); entry != NULL && snapshot->count < PROCESSES_MAX; entry = readdir(directory)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (read_process(proc, entry->d_name, &snapshot->processes[snapshot->count])) snapshot->count++;
  }
  closedir(directory);
}

static const struct process *find(const struct snapshot *snapshot, pid_t pid) {
  size_t low = 0;
  size_t high = snapshot->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (snapshot->processes[middle].pid == pid) return &snapshot->processes[middle];
    if (snapshot->processes[middle].pid < pid) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

// Parents mostly precede their children, so one or two rounds settle it.
static void mark_descendants(const struct snapshot *snapshot) {
  const pid_t self = getpid();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t index = 0; index < snapshot->count; index++) {
      struct process *process = &snapshot->processes[index];
      if (process->ours) continue;
      const struct process *parent = find(snapshot, process->parent);
      process->ours = process->parent == self || (parent != NULL && parent->ours);
      changed = changed || process->ours;
    }
  }
}

// Returns how many were running, and so could have made more, when they were signalled.
static size_t signal_descendants(const struct snapshot *snapshot, int number) {
  size_t running = 0;
  for (size_t index = 0; index < snapshot->count; index++) {
    const struct process *process = &snapshot->processes[index];
    if (!process->ours) continue;
    if (process->running) running++;
    kill(process->pid, number);
  }
  return running;
}

void sweep_descendants(int proc) {
  AUTO_FREE struct process *processes = malloc(PROCESSES_MAX * sizeof *processes);
  if (processes == NULL) return; // the caller calls again
  struct snapshot snapshot = {processes, 0};
  for (int pass = 0; pass < PASSES_MAX; pass++) {
    take_snapshot(proc, &snapshot);
    mark_descendants(&snapshot);
    if (signal_descendants(&snapshot, SIGSTOP) == 0) break;
  }
  take_snapshot(proc, &snapshot);
  mark_descendants(&snapshot);
  signal_descendants(&snapshot, SIGKILL);
}
