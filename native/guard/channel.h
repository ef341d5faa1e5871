// The control channel: frames in, frames out, never blocking.
#ifndef GLOVEBOX_CHANNEL_H
#define GLOVEBOX_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../protocol.h"
#include "../protocol/frame.h"

#define CHANNEL_IN_BYTES (2u * (GB_SIZE_HEADER + GB_SIZE_DATA_MAX))
#define CHANNEL_OUT_BYTES (512u * 1024u)
#define CHANNEL_RESERVE (128u * 1024u) // room that only control frames may use

struct channel {
  int fd;
  size_t in_head, in_tail, out_head, out_tail;
  uint8_t in[CHANNEL_IN_BYTES], out[CHANNEL_OUT_BYTES];
};

enum channel_state { CHANNEL_OPEN, CHANNEL_ENDED };

// Reads what is there. ENDED: the host closed its end, or it failed.
enum channel_state channel_fill(struct channel *channel);
// Takes the next whole frame out; its payload is valid until the next fill.
enum frame_result channel_next(struct channel *channel, struct frame *frame);

// Room for one more data frame.
bool channel_has_room(const struct channel *channel);
// Queues a frame. False: the host does not read, and even the reserve is used up.
bool channel_queue(struct channel *channel, uint8_t type, uint32_t stream, const void *payload, uint32_t length);
// Reads up to `most` bytes from `from` straight into a queued data frame; needs channel_has_room. Returns read()'s result and errno.
ssize_t channel_queue_from(struct channel *channel, uint8_t type, uint32_t stream, int from, uint32_t most);
bool channel_is_empty(const struct channel *channel);
// Writes as much as the host takes now.
enum channel_state channel_flush(struct channel *channel);

#endif
