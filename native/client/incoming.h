// Bytes from the broker, cut into frames.
#ifndef GLOVEBOX_CLIENT_INCOMING_H
#define GLOVEBOX_CLIENT_INCOMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../door-protocol.h"
#include "../protocol.h"
#include "../protocol/frame.h"

struct incoming {
  uint8_t bytes[2 * (GB_SIZE_HEADER + DOOR_SIZE_DATA_MAX)];
  size_t head, tail;
};

// Reads once. False at the end.
bool incoming_read(struct incoming *incoming, int socket);

// The next whole frame, which lies in the buffer until the next read.
enum frame_result incoming_next(struct incoming *incoming, struct frame *frame);

#endif
