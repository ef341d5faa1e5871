// A record that does not fit leaves the log as it was and is counted as missed. The head of a record follows its body, so that a record
// that breaks off has none.
#define _GNU_SOURCE
#include "touch-log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../cleanup.h"
#include "../protocol.h"
#include "../protocol/bytes.h"
#include "../protocol/message.h"

#define HEAD 8u
#define MISSED_AT 16
#define PATH_HEAD 72u
#define CONTENT_HEAD 40u
#define PORTION 65536u
#define NANOSECONDS 1000000000ll

static uint8_t buffer[HEAD + PORTION]; // its user holds the lock; each keeper has its own

static bool write_at(const struct touch_log *log, const uint8_t *bytes, size_t length, uint64_t at) {
  while (length > 0) {
    const ssize_t put = pwrite(log->descriptor, bytes, length, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put;
    length -= (size_t)put;
    at += (uint64_t)put;
  }
  return true;
}

bool touch_log_header(const struct touch_log *log) {
  uint8_t header[GB_SIZE_TOUCH_HEADER] = {'G', 'B', 'T', 'O', 'U', 'C', 'H', '1'};
  log->shared->end = sizeof header;
  return write_at(log, header, sizeof header, 0);
}

// In place: needs no room.
void touch_log_miss(const struct touch_log *log) {
  uint8_t count[8];
  write_u64(count, ++log->shared->missed);
  write_at(log, count, sizeof count, MISSED_AT);
}

static void write_head(uint8_t *at, uint32_t length, uint8_t type) {
  write_u32(at, length);
  at[4] = type;
  at[5] = at[6] = at[7] = 0;
}

// `buffer` holds the record from its head on.
static bool append(const struct touch_log *log, uint32_t length, uint8_t type) {
  struct touch_shared *shared = log->shared;
  const size_t whole = HEAD + length;
  write_head(buffer, length, type);
  const bool fits = shared->listed + whole <= GB_SIZE_TOUCH_LISTED_MAX;
  if (fits && write_at(log, buffer, whole, shared->end)) {
    shared->end += whole;
    shared->listed += whole;
    return true;
  }
  if (ftruncate(log->descriptor, (off_t)shared->end) == 0) touch_log_miss(log);
  else shared->missed++;
  return false;
}

static uint64_t nanoseconds(const struct statx_timestamp *time) {
  return (uint64_t)(time->tv_sec * NANOSECONDS + (long long)time->tv_nsec);
}

static uint64_t device(const struct statx *status) {
  return (uint64_t)status->stx_dev_major << 32 | status->stx_dev_minor;
}

static uint64_t born(const struct statx *status) {
  return (status->stx_mask & STATX_BTIME) != 0 ? nanoseconds(&status->stx_btime) : 0;
}

bool touch_log_path(const struct touch_log *log, uint32_t command, const char *path, const struct statx *status, const char *target) {
  static const struct statx absent;
  const struct statx *what = status == NULL ? &absent : status;
  const size_t path_length = strlen(path);
  const size_t target_length = target == NULL ? 0 : strlen(target);
  uint8_t *at = buffer + HEAD;
  write_u32(at, command);
  write_u32(at + 4, what->stx_mode);
  write_u32(at + 8, what->stx_nlink);
  write_u32(at + 12, 0);
  write_u64(at + 16, device(what));
  write_u64(at + 24, what->stx_ino);
  write_u64(at + 32, born(what));
  write_u64(at + 40, what->stx_size);
  write_u64(at + 48, nanoseconds(&what->stx_mtime));
  write_u64(at + 56, nanoseconds(&what->stx_ctime));
  write_u32(at + 64, (uint32_t)path_length);
  write_u32(at + 68, (uint32_t)target_length);
  memcpy(at + PATH_HEAD, path, path_length);
  if (target_length > 0) memcpy(at + PATH_HEAD + path_length, target, target_length);
  return append(log, (uint32_t)(PATH_HEAD + path_length + target_length), GB_TOUCH_PATH);
}

bool touch_log_again(const struct touch_log *log, uint32_t command, const char *path) {
  const size_t length = strlen(path);
  write_u32(buffer + HEAD, command);
  memcpy(buffer + HEAD + 4, path, length);
  return append(log, (uint32_t)(4 + length), GB_TOUCH_AGAIN);
}

static void write_content_head(const struct statx *status, uint32_t kept) {
  uint8_t *at = buffer + HEAD;
  write_u64(at, device(status));
  write_u64(at + 8, status->stx_ino);
  write_u64(at + 16, born(status));
  write_u64(at + 24, status->stx_size);
  write_u32(at + 32, kept);
  write_u32(at + 36, 0);
}

// How many bytes lie behind the head in the log now, or -1.
static int64_t copy(const struct touch_log *log, int file, uint64_t most) {
  uint64_t length = 0;
  for (;;) {
    const ssize_t got = pread(file, buffer, PORTION, (off_t)length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) return (int64_t)length;
    if (length + (uint64_t)got > most) return -1;
    if (!write_at(log, buffer, (size_t)got, log->shared->end + HEAD + CONTENT_HEAD + length)) return -1;
    length += (uint64_t)got;
  }
}

static int open_regular(int directory, const char *name, const struct statx *status) {
  const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat opened;
  if (file < 0) return -1;
  if (fstat(file, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_ino == status->stx_ino) return file;
  close(file);
  return -1;
}

// With one write, when it is as long as it looked. Else false, and nothing is said of it yet.
static bool keep_short(const struct touch_log *log, int file, const struct statx *status) {
  const size_t length = (size_t)status->stx_size;
  if (status->stx_size > PORTION - CONTENT_HEAD || pread(file, buffer + HEAD + CONTENT_HEAD, length, 0) != (ssize_t)length) return false;
  write_content_head(status, GB_TOUCH_KEPT);
  write_head(buffer, (uint32_t)(CONTENT_HEAD + length), GB_TOUCH_CONTENT);
  return write_at(log, buffer, HEAD + CONTENT_HEAD + length, log->shared->end);
}

// How many bytes were kept behind the log's end, with their heads, or -1.
static int64_t keep(const struct touch_log *log, int file, const struct statx *status) {
  if (keep_short(log, file, status)) return (int64_t)status->stx_size;
  const int64_t length = copy(log, file, log->file_bytes_max);
  if (length < 0) return -1;
  write_content_head(status, GB_TOUCH_KEPT);
  write_head(buffer, (uint32_t)(CONTENT_HEAD + (uint64_t)length), GB_TOUCH_CONTENT);
  return write_at(log, buffer, HEAD + CONTENT_HEAD, log->shared->end) ? length : -1;
}

static bool not_kept(const struct touch_log *log, const struct statx *status, uint32_t why) {
  write_content_head(status, why);
  return append(log, CONTENT_HEAD, GB_TOUCH_CONTENT);
}

bool touch_log_content(const struct touch_log *log, int directory, const char *name, const struct statx *status) {
  struct touch_shared *shared = log->shared;
  if (status->stx_size > log->file_bytes_max) return not_kept(log, status, GB_TOUCH_TOO_LARGE);
  if (shared->kept + status->stx_size > log->kept_bytes_max) return not_kept(log, status, GB_TOUCH_NO_ROOM);
  AUTO_CLOSE const int file = open_regular(directory, name, status);
  if (file < 0) return not_kept(log, status, GB_TOUCH_UNREADABLE);
  const int64_t length = keep(log, file, status);
  if (length < 0) {
    if (ftruncate(log->descriptor, (off_t)shared->end) != 0) shared->missed++;
    return not_kept(log, status, GB_TOUCH_UNREADABLE);
  }
  shared->end += HEAD + CONTENT_HEAD + (uint64_t)length;
  shared->kept += (uint64_t)length;
  return true;
}
