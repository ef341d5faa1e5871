// Every frame is whole before the next begins; a host that stopped reading ends it all.
#define _GNU_SOURCE
#include "collected.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../protocol.h"
#include "../protocol/bytes.h"
#include "../protocol/frame.h"

#define ENTRY_HEAD 24
#define PART_BYTES 65536u

bool write_whole(int to, const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    const ssize_t written = write(to, at, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    length -= (size_t)written;
  }
  return true;
}

// The payload lies behind the header's room.
static bool send_frame(uint8_t *frame, uint8_t type, uint32_t length) {
  frame_header(frame, type, 0, length);
  return write_whole(STDOUT_FILENO, frame, GB_SIZE_HEADER + length);
}

bool collected_entry(const char *name, const struct stat *found) {
  static uint8_t frame[GB_SIZE_HEADER + ENTRY_HEAD + GB_SIZE_CONTROL_MAX];
  const size_t length = strlen(name);
  if (length > GB_SIZE_CONTROL_MAX - ENTRY_HEAD) return true; // no name is so long
  uint8_t *at = frame + GB_SIZE_HEADER;
  write_u32(at, found->st_mode & S_IFMT);
  write_u32(at + 4, (uint32_t)found->st_nlink);
  write_u64(at + 8, (uint64_t)found->st_size);
  write_u64(at + 16, (uint64_t)found->st_blocks * 512);
  memcpy(at + ENTRY_HEAD, name, length);
  return send_frame(frame, GB_COLLECTED_ENTRY, (uint32_t)(ENTRY_HEAD + length));
}

static bool send_word(uint8_t type, uint64_t first, uint32_t second) {
  uint8_t frame[GB_SIZE_HEADER + 12];
  write_u64(frame + GB_SIZE_HEADER, first);
  write_u32(frame + GB_SIZE_HEADER + 8, second);
  return send_frame(frame, type, 12);
}

bool collected_content(int file, uint64_t length) {
  static uint8_t frame[GB_SIZE_HEADER + PART_BYTES];
  uint64_t sent = 0;
  while (sent < length) {
    const size_t wanted = length - sent < PART_BYTES ? (size_t)(length - sent) : PART_BYTES;
    const ssize_t got = read(file, frame + GB_SIZE_HEADER, wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (!send_frame(frame, GB_COLLECTED_BYTES, (uint32_t)got)) return false;
    sent += (uint64_t)got;
  }
  struct stat now;
  const bool is_whole = sent == length && fstat(file, &now) == 0 && (uint64_t)now.st_size == length;
  return send_word(GB_COLLECTED_CONTENT, sent, is_whole ? GB_CONTENT_WHOLE : GB_CONTENT_CHANGED);
}

bool collected_unread(uint32_t why) {
  return send_word(GB_COLLECTED_CONTENT, 0, why);
}

bool collected_end(uint64_t total, bool is_whole) {
  return send_word(GB_COLLECTED_END, total, is_whole ? 1 : 0);
}
