// An open for nothing (O_PATH) does not come here: what it gives has to be opened again to be read.
// Performed, never continued: Landlock cannot know a name that does not exist yet, so nothing behind us would refuse it. What is judged is
// where the opened thing lies, and it is opened again by that descriptor, so that no link and no rename counts any more.
#define _GNU_SOURCE
#include "mediate-read.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../cleanup.h"
#include "crew.h"
#include "interruption.h"
#include "mediator.h"
#include "umasks.h"
#include "own-process.h"
#include "read-rules.h"

#define PROC_MAGIC 0x9fa0
#define STATUS_FLAGS (O_DIRECT | O_NOATIME | O_ASYNC)
// What the second open leaves out: it starts from the thing itself.
#define FIRST_ONLY (O_NOFOLLOW | O_CREAT | O_EXCL | O_CLOEXEC)

struct reading {
  const struct caller *caller;
  int flags;
  int base;
  const char *path;
};

bool only_reads(uint32_t flags) {
  return (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

static int look(const struct reading *reading, int flags) {
  const struct open_how how = {.flags = (unsigned)(flags | O_PATH | O_CLOEXEC), .resolve = RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, reading->base, reading->path, &how, sizeof how);
}

static bool is_link(int node) {
  struct stat status;
  return fstat(node, &status) == 0 && S_ISLNK(status.st_mode);
}

// A link that a rule names denies what it leads to; then what that is called itself.
static int find(const struct reading *reading, struct answer *answer) {
  const int link = look(reading, O_NOFOLLOW);
  *answer = answer_error(errno);
  if (link < 0 || !is_link(link) || (reading->flags & O_NOFOLLOW) != 0) return link;
  const bool allowed = may_be_read(link, answer);
  close(link);
  if (!allowed) return -1;
  const int node = look(reading, 0);
  *answer = answer_error(errno);
  return node;
}

static struct answer hand_over(const struct reading *reading, int fd) {
  if (fd < 0) return answer_error(errno);
  if ((reading->flags & O_NONBLOCK) == 0) fcntl(fd, F_SETFL, reading->flags & STATUS_FLAGS);
  return (struct answer){.kind = ANSWER_DESCRIPTOR, .descriptor = fd, .close_on_exec = (reading->flags & O_CLOEXEC) != 0};
}

// Waits for a writer, as the kernel does.
static struct answer open_pipe(const struct reading *reading, const char *name) {
  if (!crew_begin_wait()) {
    mediator_report("-", GB_CALL_OPEN, GB_RULE_CROWDED, ENFILE);
    return answer_error(ENFILE);
  }
  int fd;
  const int error = open_interruptibly(reading->caller, name, O_RDONLY | O_CLOEXEC, &fd);
  crew_end_wait();
  errno = error;
  return hand_over(reading, error == 0 ? fd : -1);
}

static struct answer open_again(const struct reading *reading, int node) {
  char name[40];
  struct stat status;
  if (fstat(node, &status) != 0) return answer_error(errno);
  if (!caller_waits(reading->caller)) return answer_error(EINTR);
  if ((reading->flags & O_DIRECTORY) != 0 && !S_ISDIR(status.st_mode)) return answer_error(ENOTDIR);
  if (S_ISLNK(status.st_mode)) return answer_error(ELOOP);
  if (S_ISCHR(status.st_mode) && status.st_rdev == makedev(5, 0)) return hand_over(reading, own_terminal(reading->caller, reading->flags));
  snprintf(name, sizeof name, "/proc/self/fd/%d", node);
  if (S_ISFIFO(status.st_mode) && (reading->flags & O_NONBLOCK) == 0) return open_pipe(reading, name);
  return hand_over(reading, open(name, (reading->flags & ~FIRST_ONLY) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

static bool is_of_proc(int node) {
  struct statfs status;
  return fstatfs(node, &status) == 0 && (unsigned long)status.f_type == PROC_MAGIC;
}

static struct answer open_node(const struct reading *reading, int node) {
  struct answer answer;
  if (is_of_proc(node)) return may_see_process_file(node) ? open_again(reading, node) : answer_error(EACCES);
  return may_be_read(node, &answer) ? open_again(reading, node) : answer;
}

struct answer mediate_read(const struct caller *caller, const struct open_request *request) {
  char given[PATH_BYTES];
  char path[PATH_BYTES];
  struct answer answer;
  const int error = caller_read_path(caller, request->path, given);
  if (error != 0) return answer_error(error);
  struct reading reading = {.caller = caller, .flags = (int)request->flags, .base = -1};
  AUTO_CLOSE const int own = (request->flags & O_NOFOLLOW) == 0 ? open_own_link(caller, given) : -1;
  if (own >= 0) return open_node(&reading, own);
  if (!name_own_process(caller, given, path)) return answer_error(ENAMETOOLONG);
  AUTO_CLOSE int base = -1;
  const bool starts = caller_start(caller, request->directory, path, &base, &reading.path);
  if (!starts) return answer_error(errno == ENOENT ? EBADF : errno);
  reading.base = base;
  AUTO_CLOSE const int node = find(&reading, &answer);
  return node < 0 ? answer : open_node(&reading, node);
}

// A file to be made outside the write roots: the mediator makes it, where it then lies is judged.
struct answer mediate_create(const struct caller *caller, const struct open_request *request) {
  char given[PATH_BYTES];
  const char *path;
  struct place place;
  struct answer answer;
  const int error = caller_read_path(caller, request->path, given);
  if (error != 0) return answer_error(error);
  AUTO_CLOSE int base = -1;
  if (!caller_start(caller, request->directory, given, &base, &path)) return answer_error(errno == ENOENT ? EBADF : errno);
  if (!umasks_take(caller) || !place_resolve_elsewhere(base, path, &place)) return answer_error(EACCES);
  if (!caller_waits(caller)) {
    place_close(&place);
    return answer_error(EACCES);
  }
  const struct open_how how = {
      .flags = (request->flags & (O_CREAT | O_EXCL)) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
      .mode = request->mode & 0777,
      .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  const int fd = (int)syscall(SYS_openat2, place.parent, place.name, &how, sizeof how);
  const struct reading reading = {.caller = caller, .flags = (int)request->flags};
  answer = answer_error(errno);
  place_close(&place);
  if (fd < 0) return answer;
  if (!is_of_proc(fd) && may_be_read(fd, &answer)) return hand_over(&reading, fd);
  close(fd);
  return answer_error(EACCES);
}
