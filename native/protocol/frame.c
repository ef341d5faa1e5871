// The frame's header: length, type and reserved bytes are checked before a single payload byte is waited for.
#include "frame.h"

#include "../protocol.h"
#include "bytes.h"

enum frame_result frame_next(frame_longest longest_of, const uint8_t *bytes, size_t have, struct frame *frame) {
  if (have < GB_SIZE_HEADER) return FRAME_MORE;
  const uint32_t length = read_u32(bytes);
  const uint32_t longest = longest_of(bytes[4]);
  if (longest == UINT32_MAX || length > longest) return FRAME_BAD;
  if (bytes[5] != 0 || read_u16(bytes + 6) != 0) return FRAME_BAD;
  if (have - GB_SIZE_HEADER < length) return FRAME_MORE;
  *frame = (struct frame){.type = bytes[4], .stream = read_u32(bytes + 8), .length = length, .payload = bytes + GB_SIZE_HEADER};
  return FRAME_WHOLE;
}

void frame_header(uint8_t *at, uint8_t type, uint32_t stream, uint32_t length) {
  write_u32(at, length);
  at[4] = type;
  at[5] = at[6] = at[7] = 0;
  write_u32(at + 8, stream);
}
