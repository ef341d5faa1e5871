// The keeper may look into every process of the sandbox, a command only into its own: files of /proc are opened for it where it is the
// process's ancestor, and elsewhere only those that hold no memory, no descriptor and no environment.
#define _GNU_SOURCE
#include "own-process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cleanup.h"
#include "mediator.h"
#include "read-rules.h"

#define GENERATIONS_MAX 4096
#define DELETED " (deleted)"

static const char *below(const char *path, const char *place) {
  const size_t length = strlen(place);
  return strncmp(path, place, length) == 0 && (path[length] == '/' || path[length] == '\0') ? path + length : NULL;
}

bool name_own_process(const struct caller *caller, const char *given, char path[PATH_BYTES]) {
  const char *self = below(given, "/proc/self");
  const char *thread = below(given, "/proc/thread-self");
  const char *files = below(given, "/dev/fd");
  int length;
  if (self != NULL) length = snprintf(path, PATH_BYTES, "/proc/%d%s", caller_process(caller), self);
  else if (thread != NULL) length = snprintf(path, PATH_BYTES, "/proc/%d/task/%d%s", caller_process(caller), caller->thread, thread);
  else if (files != NULL) length = snprintf(path, PATH_BYTES, "/proc/%d/fd%s", caller_process(caller), files);
  else length = snprintf(path, PATH_BYTES, "%s", given);
  return length >= 0 && length < (int)PATH_BYTES;
}

int open_own_link(const struct caller *caller, const char *path) {
  static const char *const links[] = {"/proc/self/exe", "/proc/self/cwd", "/proc/self/root"};
  char name[64];
  const int named = caller_open_named_descriptor(caller, path);
  if (named >= 0) return named;
  for (size_t index = 0; index < sizeof links / sizeof *links; index++) {
    if (strcmp(path, links[index]) != 0) continue;
    snprintf(name, sizeof name, "/proc/%d/%s", caller->thread, links[index] + strlen("/proc/self/"));
    return open(name, O_PATH | O_CLOEXEC);
  }
  return -1;
}

static bool read_stat(long process, char *text, size_t room) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%ld/stat", process);
  AUTO_CLOSE const int fd = open(name, O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd < 0 ? -1 : read(fd, text, room - 1);
  if (length <= 0) return false;
  text[length] = '\0';
  return true;
}

// Fields after the name, which may hold anything: "state parent group session terminal".
static bool stat_fields(long process, long *parent, long *terminal) {
  char text[512];
  if (!read_stat(process, text, sizeof text)) return false;
  const char *after = strrchr(text, ')');
  return after != NULL && sscanf(after + 1, " %*c %ld %*d %*d %ld", parent, terminal) == 2;
}

static bool is_of_command(long process) {
  long parent = process, terminal;
  for (int generation = 0; generation < GENERATIONS_MAX && parent > 1; generation++) {
    if (!stat_fields(parent, &parent, &terminal)) return false;
    if (parent == getpid()) return true;
  }
  return false;
}

// "/proc/NUMBER/rest"
static bool is_public(const char *rest) {
  static const char *const names[] = {"",       "/stat",      "/statm",      "/status",     "/cmdline", "/comm",    "/mounts", "/mountinfo",
                                      "/cgroup", "/limits",    "/loginuid",   "/sessionid",  "/sched",   "/schedstat", "/task",   "/oom_score"};
  if (strncmp(rest, "/net/", 5) == 0 || strcmp(rest, "/net") == 0) return true;
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    if (strcmp(rest, names[index]) == 0) return true;
  }
  if (strncmp(rest, "/task/", 6) != 0 || !isdigit((unsigned char)rest[6])) return false;
  return is_public(rest + 6 + strspn(rest + 6, "0123456789"));
}

static bool path_of(int node, char path[PATH_BYTES]) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", node);
  const ssize_t length = readlink(link, path, PATH_BYTES - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0 && length < (ssize_t)PATH_BYTES - 1;
}

bool may_see_process_file(int node) {
  char path[PATH_BYTES];
  if (!path_of(node, path) || strncmp(path, "/proc", 5) != 0) return false;
  if (path[5] != '/' || !isdigit((unsigned char)path[6])) return true;
  char *rest;
  const long process = strtol(path + 6, &rest, 10);
  return is_public(rest) || is_of_command(process);
}

int own_terminal(const struct caller *caller, int flags) {
  char name[40];
  long parent, terminal;
  if (!stat_fields(caller->thread, &parent, &terminal) || (terminal >> 8 & 0xfff) != 136) {
    errno = ENXIO;
    return -1;
  }
  snprintf(name, sizeof name, "/dev/pts/%ld", (terminal & 0xff) | (terminal >> 12 & 0xfff00));
  return open(name, (flags & (O_ACCMODE | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC);
}

// What was removed keeps the name that it had.
static bool is_denied(char *path, const struct stat *status, bool folds) {
  if (read_rules_deny(path, folds)) return true;
  const size_t length = strlen(path);
  const size_t end = sizeof DELETED - 1;
  if (status->st_nlink != 0 && !S_ISDIR(status->st_mode)) return false;
  if (length <= end || strcmp(path + length - end, DELETED) != 0) return false;
  path[length - end] = '\0';
  const bool denied = read_rules_deny(path, folds);
  path[length - end] = DELETED[0];
  return denied;
}

static bool parent_may_fold(const char *path) {
  char parent[PATH_BYTES];
  const char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path) return false;
  memcpy(parent, path, (size_t)(slash - path));
  parent[slash - path] = '\0';
  AUTO_CLOSE const int directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return directory < 0 || directory_folds(directory);
}

// A directory is asked only where its answer would make a difference.
static bool is_denied_here(char *path, const struct stat *status) {
  const bool denied = is_denied(path, status, false);
  const bool denied_folded = is_denied(path, status, true);
  return denied == denied_folded || !parent_may_fold(path) ? denied : denied_folded;
}

bool may_be_read_at(int node, char path[PATH_BYTES], struct answer *answer) {
  struct stat status;
  *answer = answer_error(EACCES);
  if (fstat(node, &status) != 0) return false;
  if (path[0] != '/' && path[0] != '(') return true; // a pipe, a socket, memory: it has no place
  if (!is_denied_here(path, &status)) return true;
  mediator_report(path, GB_CALL_OPEN, GB_RULE_DENIED_READ, EACCES);
  return false;
}

bool may_be_read(int node, struct answer *answer) {
  char path[PATH_BYTES];
  if (path_of(node, path)) return may_be_read_at(node, path, answer);
  *answer = answer_error(EACCES);
  mediator_report("-", GB_CALL_OPEN, GB_RULE_DENIED_READ, EACCES);
  return false;
}
