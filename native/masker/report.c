// One write for each frame. A host that no longer reads has ended the sandbox: so ends the masker.
#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../masker-protocol.h"
#include "../protocol/bytes.h"

#define EXIT_TROUBLE 1
#define EXIT_HOST_GONE 2

static void send_all(const uint8_t *bytes, size_t length) {
  while (length > 0) {
    const ssize_t sent = write(CHANNEL_FD, bytes, length);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(EXIT_HOST_GONE);
    bytes += sent;
    length -= (size_t)sent;
  }
}

static void send_frame(uint8_t type, const uint8_t *fixed, size_t fixed_length, const char *path, size_t length) {
  uint8_t frame[GM_SIZE_HEADER + 16 + GM_SIZE_PATH_MAX];
  if (length > GM_SIZE_PATH_MAX) length = GM_SIZE_PATH_MAX;
  write_u32(frame, (uint32_t)(fixed_length + length));
  frame[4] = type;
  if (fixed_length > 0) memcpy(frame + GM_SIZE_HEADER, fixed, fixed_length);
  if (length > 0) memcpy(frame + GM_SIZE_HEADER + fixed_length, path, length);
  send_all(frame, GM_SIZE_HEADER + fixed_length + length);
}

static void describe(uint8_t *at, const struct match *match) {
  const uint8_t cut = match->length > GM_SIZE_PATH_MAX ? GM_MARK_CUT : 0;
  write_u32(at, (uint32_t)match->rule | (uint32_t)(match->marks | cut) << 16);
}

void report_found(const struct match *match) {
  uint8_t fixed[4];
  describe(fixed, match);
  send_frame(GM_TYPE_FOUND, fixed, sizeof fixed, match->path, match->length);
}

void report_late(const struct match *match, uint64_t microseconds) {
  uint8_t fixed[8];
  describe(fixed, match);
  write_u32(fixed + 4, microseconds > UINT32_MAX ? UINT32_MAX : (uint32_t)microseconds);
  send_frame(GM_TYPE_LATE, fixed, sizeof fixed, match->path, match->length);
}

void report_ready(uint32_t directories, uint32_t masks, uint64_t microseconds) {
  uint8_t fixed[16];
  write_u32(fixed, directories);
  write_u32(fixed + 4, masks);
  write_u64(fixed + 8, microseconds);
  send_frame(GM_TYPE_READY, fixed, sizeof fixed, NULL, 0);
}

void report_behind(void) {
  send_frame(GM_TYPE_BEHIND, NULL, 0, NULL, 0);
}

void report_settled(void) {
  send_frame(GM_TYPE_SETTLED, NULL, 0, NULL, 0);
}

_Noreturn void give_up(unsigned kind, int error, const char *path, size_t length) {
  uint8_t fixed[8];
  write_u32(fixed, kind);
  write_u32(fixed + 4, (uint32_t)error);
  send_frame(GM_TYPE_TROUBLE, fixed, sizeof fixed, path, length);
  _exit(EXIT_TROUBLE);
}
