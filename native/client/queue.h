// Bytes of one channel on their way out, never more than its credit.
#ifndef GLOVEBOX_CLIENT_QUEUE_H
#define GLOVEBOX_CLIENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../door-protocol.h"

struct queue {
  uint8_t bytes[DOOR_SIZE_CREDIT];
  size_t head, length;
  uint32_t window; // that may still come
  uint32_t taken;  // that went on, and for which no credit has been given back yet
};

void queue_begin(struct queue *queue);

// False when it is more than may come.
bool queue_add(struct queue *queue, const uint8_t *bytes, size_t length);

// The next bytes in one piece; 0: none.
size_t queue_next(const struct queue *queue, const uint8_t **bytes);

void queue_drop(struct queue *queue, size_t length);

// Credit that is worth a frame, or 0; then it counts as given.
uint32_t queue_credit(struct queue *queue);

#endif
