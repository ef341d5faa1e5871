// Writes records of the touch log, each whole or not at all.
#ifndef GLOVEBOX_TOUCH_LOG_H
#define GLOVEBOX_TOUCH_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "touch-table.h"

struct touch_log {
  int descriptor;
  uint64_t file_bytes_max, kept_bytes_max;
  struct touch_shared *shared;
};

// Each under the lock.
bool touch_log_header(const struct touch_log *log);
void touch_log_miss(const struct touch_log *log);
// `status` NULL: nothing lies there. `target`: of a symbolic link.
bool touch_log_path(const struct touch_log *log, uint32_t command, const char *path, const struct statx *status, const char *target);
bool touch_log_again(const struct touch_log *log, uint32_t command, const char *path);
// The content of a regular file, or why it is not kept.
bool touch_log_content(const struct touch_log *log, int directory, const char *name, const struct statx *status);

#endif
