// What the masker says to the host.
#ifndef GLOVEBOX_MASKER_REPORT_H
#define GLOVEBOX_MASKER_REPORT_H

#include <stddef.h>
#include <stdint.h>

#define CHANNEL_FD 3

struct match {
  uint16_t rule;
  uint8_t marks;
  const char *path;
  size_t length;
};

void report_found(const struct match *match);
void report_late(const struct match *match, uint64_t microseconds);
void report_ready(uint32_t directories, uint32_t masks, uint64_t microseconds);
void report_behind(void);
void report_settled(void);

// Says what is wrong and ends the masker.
_Noreturn void give_up(unsigned kind, int error, const char *path, size_t length);

#endif
