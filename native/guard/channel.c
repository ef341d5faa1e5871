// Two buffers around one non-blocking socket. A partial write leaves the rest for the next time the host reads.
#define _GNU_SOURCE
#include "channel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../protocol/message.h"

enum channel_state channel_fill(struct channel *channel) {
  if (channel->in_head > 0) {
    memmove(channel->in, channel->in + channel->in_head, channel->in_tail - channel->in_head);
    channel->in_tail -= channel->in_head;
    channel->in_head = 0;
  }
  const ssize_t got = read(channel->fd, channel->in + channel->in_tail, sizeof channel->in - channel->in_tail);
  if (got > 0) {
    channel->in_tail += (size_t)got;
    return CHANNEL_OPEN;
  }
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? CHANNEL_OPEN : CHANNEL_ENDED;
}

enum frame_result channel_next(struct channel *channel, struct frame *frame) {
  const enum frame_result result = frame_next(message_longest, channel->in + channel->in_head, channel->in_tail - channel->in_head, frame);
  if (result == FRAME_WHOLE) channel->in_head += GB_SIZE_HEADER + frame->length;
  return result;
}

static size_t queued(const struct channel *channel) {
  return channel->out_tail - channel->out_head;
}

bool channel_has_room(const struct channel *channel) {
  return queued(channel) + GB_SIZE_HEADER + GB_SIZE_DATA_MAX + CHANNEL_RESERVE <= sizeof channel->out;
}

bool channel_is_empty(const struct channel *channel) {
  return queued(channel) == 0;
}

// A place for `length` bytes at the tail, or NULL.
static uint8_t *make_room(struct channel *channel, size_t length) {
  if (sizeof channel->out - queued(channel) < length) return NULL;
  if (sizeof channel->out - channel->out_tail < length) {
    memmove(channel->out, channel->out + channel->out_head, queued(channel));
    channel->out_tail -= channel->out_head;
    channel->out_head = 0;
  }
  return channel->out + channel->out_tail;
}

bool channel_queue(struct channel *channel, uint8_t type, uint32_t stream, const void *payload, uint32_t length) {
  uint8_t *at = make_room(channel, GB_SIZE_HEADER + length);
  if (at == NULL) return false;
  frame_header(at, type, stream, length);
  if (length > 0) memcpy(at + GB_SIZE_HEADER, payload, length);
  channel->out_tail += GB_SIZE_HEADER + length;
  return true;
}

ssize_t channel_queue_from(struct channel *channel, uint8_t type, uint32_t stream, int from, uint32_t most) {
  if (most > GB_SIZE_DATA_MAX) most = GB_SIZE_DATA_MAX;
  uint8_t *at = make_room(channel, GB_SIZE_HEADER + most);
  if (at == NULL) {
    errno = EAGAIN;
    return -1;
  }
  const ssize_t got = read(from, at + GB_SIZE_HEADER, most);
  if (got <= 0) return got;
  frame_header(at, type, stream, (uint32_t)got);
  channel->out_tail += GB_SIZE_HEADER + (size_t)got;
  return got;
}

enum channel_state channel_flush(struct channel *channel) {
  while (queued(channel) > 0) {
    const ssize_t sent = write(channel->fd, channel->out + channel->out_head, queued(channel));
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN ? CHANNEL_OPEN : CHANNEL_ENDED;
    channel->out_head += (size_t)sent;
  }
  channel->out_head = channel->out_tail = 0;
  return CHANNEL_OPEN;
}
