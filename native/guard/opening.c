// Where it lies decides; what is allowed the mediator does itself, on descriptors. A link is followed name by name, in write roots only.
#define _GNU_SOURCE
#include "opening.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "git-files.h"
#include "pointer.h"
#include "touch.h"
#include "umasks.h"
#include "waiting.h"

#define LINKS_MAX 40
// What open() looks at; openat2 refuses the rest instead of passing over it.
#define KNOWN_FLAGS \
  (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC | O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME)
#define STATUS_FLAGS (O_APPEND | O_DIRECT | O_NOATIME | O_ASYNC)

static bool writes(const struct opening *opening) {
  return (opening->flags & O_ACCMODE) != O_RDONLY || (opening->flags & O_TRUNC) != 0;
}

static struct answer refuse(const struct opening *opening, enum place_kind kind) {
  return answer_judgement(&opening->place, opening->call, kind);
}

// A program that runs as its owner: mmap() could rewrite it without the kernel taking the bits away, as write() makes it do.
static bool has_special_bits(const struct statx *status) {
  return place_holds(status, S_IFREG) && (status->stx_mode & (S_ISUID | S_ISGID)) != 0;
}

static bool look(struct opening *opening) {
  return opening->exists = place_look(&opening->place, &opening->seen);
}

// What was judged as there is never made, and what was judged as absent is never opened: another thread, or the host, may have changed it since.
static int flags_of(const struct opening *opening, bool makes) {
  const int flags = opening->flags & KNOWN_FLAGS & ~(O_CREAT | O_EXCL);
  return flags | (makes ? O_CREAT | O_EXCL : O_NONBLOCK) | O_NOCTTY | O_CLOEXEC;
}

// Whether it has changed so, and is to be judged again. Under the exclusive lock only the host can have removed it.
static bool has_changed(const struct opening *opening, bool makes, int error) {
  if (makes) return error == EEXIST && (opening->flags & O_EXCL) == 0;
  return error == ENOENT && (opening->flags & O_CREAT) != 0 && !opening->exclusive;
}

// Links are refused by the resolution, not by a flag that the descriptor would show. Non-blocking, so that a pipe or a lease that turns up in this
// moment does not hold the lock.
static struct answer perform(struct opening *opening) {
  const bool makes = !opening->exists && (opening->flags & O_CREAT) != 0;
  if (makes && !umasks_take(opening->caller)) return answer_continue();
  if (!caller_waits(opening->caller)) return answer_continue();
  touch_seen(&opening->place, opening->exists ? &opening->seen : NULL, true);
  const struct open_how how = {
      .flags = (unsigned)flags_of(opening, makes),
      .mode = makes ? opening->mode : 0,
      .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  const int fd = (int)syscall(SYS_openat2, opening->place.parent, opening->place.name, &how, sizeof how);
  if (fd < 0 && has_changed(opening, makes, errno)) {
    opening->needs_exclusive = true;
    return answer_continue();
  }
  if (fd < 0) return answer_error(errno);
  struct statx opened;
  const bool known = (makes || writes(opening)) && statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &opened) == 0;
  if (writes(opening) && (!known || has_special_bits(&opened))) {
    close(fd);
    return answer_error(EACCES);
  }
  if (makes && known) touch_made(&opened);
  if (!makes && (opening->flags & O_NONBLOCK) == 0) fcntl(fd, F_SETFL, opening->flags & STATUS_FLAGS);
  return (struct answer){.kind = ANSWER_DESCRIPTOR, .descriptor = fd, .close_on_exec = (opening->flags & O_CLOEXEC) != 0};
}

static bool waits_for_reader(const struct opening *opening) {
  return opening->exists && place_holds(&opening->seen, S_IFIFO) && (opening->flags & (O_ACCMODE | O_NONBLOCK | O_EXCL)) == O_WRONLY;
}

static struct answer open_plain(struct opening *opening) {
  if (!waits_for_reader(opening)) return perform(opening);
  const int node = openat(opening->place.parent, opening->place.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  return node < 0 ? answer_error(errno) : fifo_open(opening->caller, node, (uint32_t)opening->flags);
}

static struct answer open_pointer(struct opening *opening, enum place_kind kind) {
  const int flags = opening->flags;
  if (opening->exists && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return answer_error(EEXIST);
  if (opening->exists && place_holds(&opening->seen, S_IFDIR)) return answer_error(EISDIR);
  if (!opening->exists && (flags & O_CREAT) == 0) return answer_error(ENOENT);
  if ((flags & O_ACCMODE) != O_WRONLY || (flags & (O_TRUNC | O_EXCL)) == 0) return refuse(opening, kind); // nothing is added to one
  opening->is_pointer = true;
  return answer_continue();
}

static struct answer open_place(struct opening *opening) {
  const bool creates = !opening->exists && (opening->flags & O_CREAT) != 0;
  if (place_is_denied(&opening->place)) {
    return answer_refusal(&opening->place, opening->call, GB_RULE_DENIED_READ);
  }
  if (!writes(opening) && !creates) return answer_continue();
  if (opening->exists && (opening->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return answer_error(EEXIST);
  if (opening->exists && has_special_bits(&opening->seen)) return answer_error(EACCES); // before anything is cut off
  const struct verdict verdict = place_judge(&opening->place);
  switch (verdict.kind) {
    case PLACE_PLAIN:
    case PLACE_ABOVE_LISTED:
    case PLACE_GIT_SAMPLE:
      return open_plain(opening);
    case PLACE_GIT_POINTER:
    case PLACE_GIT_DIRECTORY:
      return open_pointer(opening, verdict.kind);
    case PLACE_BECOMES_GIT:
      if (!creates) return open_plain(opening);
      if (!opening->exclusive) {
        opening->needs_exclusive = true;
        return answer_continue();
      }
      return git_check_directory(opening->place.parent) == 0 ? perform(opening) : refuse(opening, verdict.kind);
    default:
      return refuse(opening, verdict.kind);
  }
}

// A link that lies in a protected place is not followed: it could be turned elsewhere by nobody but the host.
static struct answer follow(struct opening *opening, int base, char *path) {
  int from = base;
  struct answer answer = answer_error(ELOOP);
  for (int hop = 0; hop < LINKS_MAX; hop++) {
    const bool ours = place_resolve(from, path, &opening->place);
    if (from != base && opening->place.borrowed) opening->place.borrowed = false; // ours to close
    else if (from != base) close(from);
    if (!ours && opening->place.missing) return answer_error(ENOENT);
    if (!ours || opening->place.slash) return answer_continue(); // a directory: the kernel has the right error
    const bool keeps_link = (opening->flags & O_NOFOLLOW) != 0 || (opening->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    if (!look(opening) || !place_holds(&opening->seen, S_IFLNK) || keeps_link) return open_place(opening);
    const enum place_kind kind = place_judge(&opening->place).kind;
    const ssize_t length = readlinkat(opening->place.parent, opening->place.name, path, PATH_BYTES - 1);
    if (kind != PLACE_PLAIN && kind != PLACE_BECOMES_GIT) return refuse(opening, kind);
    if (length <= 0) return answer_continue();
    path[length] = '\0';
    from = opening->place.parent; // closed by the next turn
    opening->place.parent = -1;
    answer = answer_continue();
  }
  if (from != base) close(from);
  return answer;
}

// The name that a descriptor of the caller has now, if it is that of the same file.
static struct answer reopen(struct opening *opening, int node) {
  char path[PATH_BYTES];
  struct statx meant;
  const ssize_t length = place_read_link(node, path, sizeof path);
  if (statx(node, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &meant) != 0 || !place_holds(&meant, S_IFREG) || length <= 0 || length >= (ssize_t)sizeof path) return answer_continue();
  path[length] = '\0';
  if (!place_resolve_canonical(path, &opening->place)) return answer_continue();
  if (!look(opening) || opening->seen.stx_ino != meant.stx_ino) return answer_continue();
  if (opening->seen.stx_dev_major != meant.stx_dev_major || opening->seen.stx_dev_minor != meant.stx_dev_minor) return answer_continue();
  opening->flags &= ~(O_CREAT | O_EXCL);
  return open_place(opening);
}

static struct answer open_locked(struct opening *opening, int base, const char *path) {
  char copy[PATH_BYTES];
  AUTO_CLOSE const int node = caller_open_named_descriptor(opening->caller, path);
  if (node >= 0) return reopen(opening, node);
  memcpy(copy, path, strlen(path) + 1);
  return follow(opening, base, copy);
}

struct answer open_anywhere(struct opening *opening, int base, const char *path) {
  for (;;) {
    opening->place.parent = -1;
    opening->needs_exclusive = opening->is_pointer = false;
    mediation_lock(opening->exclusive);
    struct answer answer = open_locked(opening, base, path);
    mediation_unlock();
    if (opening->is_pointer && caller_waits(opening->caller)) {
      const bool replace = (opening->flags & O_EXCL) == 0;
      mode_t mask = 077;
      if (!umasks_of(opening->caller, &mask)) mask = 077;
      answer = pointer_open(opening->caller, &opening->place, opening->exists ? opening->seen.stx_mode : opening->mode & ~mask, replace);
      answer.close_on_exec = (opening->flags & O_CLOEXEC) != 0;
    }
    place_close(&opening->place);
    if (!opening->needs_exclusive) return answer;
    opening->exclusive = true;
  }
}
