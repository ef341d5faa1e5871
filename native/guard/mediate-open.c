// Opens that write, create or truncate, and truncation by path. In strict mode also those that only read.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "beyond.h"
#include "mediate-read.h"
#include "opening.h"
#include "read-rules.h"

#define NAMELESS (O_TMPFILE & ~O_DIRECTORY)

// A nameless file gets its name by a link later, past its opening: programs fall back to a named one.
static struct answer open_nameless(int base, const char *directory) {
  char path[PATH_BYTES];
  struct place place;
  if ((size_t)snprintf(path, sizeof path, "%s/x", directory) >= sizeof path) return answer_continue();
  if (!place_resolve(base, path, &place)) return answer_continue();
  place_close(&place);
  return answer_error(EOPNOTSUPP);
}

static struct answer open_or_make(const struct caller *caller, const struct open_request *request) {
  char path[PATH_BYTES];
  if (caller_read_path(caller, request->path, path) != 0) return answer_continue();
  const char *rest;
  AUTO_CLOSE int base = -1;
  if (!caller_start(caller, request->directory, path, &base, &rest)) return answer_continue();
  if ((request->flags & NAMELESS) != 0) return open_nameless(base, rest);
  struct opening opening = {.caller = caller, .call = GB_CALL_OPEN, .flags = (int)request->flags, .mode = request->mode & 07777};
  return open_anywhere(&opening, base, rest);
}

// In strict mode an open that reads is never continued: Landlock lets it pass. One that also writes has to get past Landlock, where it may go on.
static struct answer read_or_make(const struct caller *caller, const struct open_request *request) {
  if (only_reads(request->flags)) return mediate_read(caller, request);
  if ((request->flags & (O_ACCMODE | O_TRUNC)) != O_RDONLY) return open_or_make(caller, request);
  if ((request->flags & O_EXCL) == 0) {
    struct open_request existing = *request;
    existing.flags &= ~(uint32_t)O_CREAT;
    const struct answer answer = mediate_read(caller, &existing);
    if (answer.kind != ANSWER_ERROR || answer.error != ENOENT) return answer;
  }
  const struct answer answer = open_or_make(caller, request);
  return answer.kind == ANSWER_CONTINUE ? mediate_create(caller, request) : answer;
}

struct answer mediate_open(const struct caller *caller, const struct open_request *request) {
  return read_rules_are_strict() ? read_or_make(caller, request) : open_or_make(caller, request);
}

// In no write root: the kernel will refuse it, and nobody would know.
static struct answer truncate_elsewhere(int base, const char *path, uint64_t length) {
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
  struct stat status;
  AUTO_CLOSE const int node = (int)syscall(SYS_openat2, base, path, &how, sizeof how);
  if (node >= 0 && fstat(node, &status) == 0 && S_ISREG(status.st_mode)) beyond_report(length);
  return answer_continue();
}

struct answer mediate_truncate(const struct caller *caller, uint64_t address, uint64_t length) {
  char path[PATH_BYTES];
  if (length > INT64_MAX) return answer_error(EINVAL);
  if (caller_read_path(caller, address, path) != 0) return answer_continue();
  const char *rest;
  AUTO_CLOSE int base = -1;
  if (!caller_start(caller, AT_FDCWD, path, &base, &rest)) return answer_continue();
  struct opening opening = {.caller = caller, .call = GB_CALL_TRUNCATE, .flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC};
  const struct answer answer = open_anywhere(&opening, base, rest);
  if (answer.kind == ANSWER_CONTINUE) return truncate_elsewhere(base, rest, length);
  if (answer.kind != ANSWER_DESCRIPTOR) return answer;
  AUTO_CLOSE const int fd = answer.descriptor;
  if (length > caller_file_size_limit(caller)) {
    beyond_report(length);
    return answer_error(EFBIG);
  }
  return answer_result(ftruncate(fd, (off_t)length));
}
