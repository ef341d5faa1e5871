// Which function answers which call, and what is told to the guard.
#define _GNU_SOURCE
#include "mediator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beyond.h"
#include "crew.h"
#include "interruption.h"
#include "mediate-change.h"
#include "mediate.h"
#include "mediation.h"
#include "pointer.h"
#include "umasks.h"

static mediator_reporter reporter;
static mediator_limit_reporter file_limit_reporter;
static atomic_uint refusals;

static struct answer make(const struct caller *caller, const struct make_request request) {
  return mediate_make(caller, &request);
}

static struct answer pair(const struct caller *caller, uint32_t call, const struct pair_request request) {
  return call == GB_CALL_LINK ? mediate_link(caller, &request) : mediate_rename(caller, &request);
}

static struct answer open_at(const struct caller *caller, const struct open_request request) {
  return mediate_open(caller, &request);
}

#define HERE AT_FDCWD
#define MODE(value) ((mode_t)((value) & 0177777))

#ifdef SYS_open // calls that aarch64 never had
static bool mediate_old(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  switch (number) {
    case SYS_open:
      *answer = open_at(caller, (struct open_request){HERE, at[0], (uint32_t)at[1], MODE(at[2])});
      return true;
    case SYS_creat:
      *answer = open_at(caller, (struct open_request){HERE, at[0], O_CREAT | O_WRONLY | O_TRUNC, MODE(at[1])});
      return true;
    case SYS_mkdir:
      *answer = make(caller, (struct make_request){.directory = HERE, .path = at[0], .mode = MODE(at[1]), .what = MAKE_DIRECTORY});
      return true;
    case SYS_mknod:
      *answer = make(caller, (struct make_request){.directory = HERE, .path = at[0], .mode = MODE(at[1]), .what = MAKE_NODE});
      return true;
    case SYS_symlink:
      *answer = make(caller, (struct make_request){.directory = HERE, .path = at[1], .target = at[0], .what = MAKE_LINK});
      return true;
    case SYS_unlink:
      *answer = mediate_remove(caller, HERE, at[0], 0);
      return true;
    case SYS_rmdir:
      *answer = mediate_remove(caller, HERE, at[0], AT_REMOVEDIR);
      return true;
    case SYS_rename:
      *answer = pair(caller, GB_CALL_RENAME, (struct pair_request){HERE, HERE, at[0], at[1], 0});
      return true;
    case SYS_link:
      *answer = pair(caller, GB_CALL_LINK, (struct pair_request){HERE, HERE, at[0], at[1], 0});
      return true;
    default:
      return false;
  }
}
#else
static bool mediate_old(const struct caller *caller, int number, const uint64_t *at, struct answer *answer) {
  (void)caller, (void)number, (void)at, (void)answer;
  return false;
}
#endif

struct answer mediator_answer(const struct caller *caller, int number, const uint64_t *at) {
  struct answer answer;
  if (mediate_old(caller, number, at, &answer)) return answer;
  switch (number) {
    case SYS_openat:
      return open_at(caller, (struct open_request){(int)at[0], at[1], (uint32_t)at[2], MODE(at[3])});
    case SYS_mkdirat:
      return make(caller, (struct make_request){.directory = (int)at[0], .path = at[1], .mode = MODE(at[2]), .what = MAKE_DIRECTORY});
    case SYS_mknodat:
      return make(caller, (struct make_request){.directory = (int)at[0], .path = at[1], .mode = MODE(at[2]), .what = MAKE_NODE});
    case SYS_symlinkat:
      return make(caller, (struct make_request){.directory = (int)at[1], .path = at[2], .target = at[0], .what = MAKE_LINK});
#ifdef SYS_renameat
    case SYS_renameat:
      return pair(caller, GB_CALL_RENAME, (struct pair_request){(int)at[0], (int)at[2], at[1], at[3], 0});
#endif
    case SYS_renameat2:
      return pair(caller, GB_CALL_RENAME, (struct pair_request){(int)at[0], (int)at[2], at[1], at[3], (uint32_t)at[4]});
    case SYS_linkat:
      return pair(caller, GB_CALL_LINK, (struct pair_request){(int)at[0], (int)at[2], at[1], at[3], (uint32_t)at[4]});
    case SYS_unlinkat:
      return mediate_remove(caller, (int)at[0], at[1], (uint32_t)at[2]);
    case SYS_umask:
      umasks_change(caller, at[0]);
      return answer_continue();
    case SYS_write:
      return pointer_write(caller, (int)at[0], at[1], at[2]);
    case SYS_writev:
      return pointer_write_vector(caller, (int)at[0], at[1], at[2]);
    case SYS_lseek:
      return mediate_beyond(caller, BEYOND_SEEK, (int)at[0], at[1]);
    case SYS_ftruncate:
      return mediate_beyond(caller, BEYOND_LENGTH, (int)at[0], at[1]);
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
      return mediate_beyond(caller, BEYOND_WRITE, (int)at[0], at[3]);
    case SYS_truncate:
      return mediate_truncate(caller, at[0], at[1]);
    case SYS_connect:
      return mediate_connect(caller, (int)at[0], at[1], (int)at[2]);
    case SYS_bind:
      return mediate_bind(caller, (int)at[0], at[1], (uint32_t)at[2]);
    default:
      if (mediate_change_call(caller, number, at, &answer)) return answer;
      return answer_error(ENOSYS); // the filter and this list are not the same
  }
}

bool mediator_start(int listener, mode_t mask, mediator_reporter report, mediator_limit_reporter report_limit) {
  umasks_begin(mask);
  if (!interruption_prepare()) return false;
  reporter = report;
  file_limit_reporter = report_limit;
  crew_begin(listener);
  return true;
}

uint32_t mediator_finish(void) {
  pointer_finish();
  mediation_end();
  return refusals;
}

void mediator_report(const char *path, uint32_t call, uint32_t rule, uint32_t error) {
  if (refusals++ < GB_SIZE_REFUSED_MAX) reporter(call, error, rule, path, (uint32_t)strlen(path));
}

void mediator_report_file_limit(uint64_t length) {
  static atomic_flag is_told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&is_told)) file_limit_reporter(length);
}

void mediator_report_file(int file, uint32_t call, uint32_t rule, uint32_t error) {
  char link[40];
  char path[PATH_BYTES];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length > 0) path[length] = '\0';
  else strcpy(path, "-");
  mediator_report(path, call, rule, error);
}
