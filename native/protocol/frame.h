// Finds the next frame in a buffer. Pure: reads the bytes it is given, keeps nothing, allocates nothing.
#ifndef GLOVEBOX_FRAME_H
#define GLOVEBOX_FRAME_H

#include <stddef.h>
#include <stdint.h>

struct frame {
  uint8_t type;
  uint32_t stream;
  uint32_t length;
  const uint8_t *payload; // points into the buffer
};

enum frame_result { FRAME_MORE, FRAME_WHOLE, FRAME_BAD };

// The longest payload of a type that may come; UINT32_MAX for any other type.
typedef uint32_t (*frame_longest)(uint8_t type);

// FRAME_WHOLE fills *frame, which takes GB_SIZE_HEADER + frame->length bytes; FRAME_BAD is final.
enum frame_result frame_next(frame_longest longest_of, const uint8_t *bytes, size_t have, struct frame *frame);

// Writes the GB_SIZE_HEADER bytes in front of a payload of `length` bytes.
void frame_header(uint8_t *at, uint8_t type, uint32_t stream, uint32_t length);

#endif
