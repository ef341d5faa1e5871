// A ring of just the size of a channel's credit: whoever keeps to the credit never finds it full.
#include "queue.h"

#include <string.h>

#define PORTION (DOOR_SIZE_CREDIT / 4)

void queue_begin(struct queue *queue) {
  queue->head = queue->length = 0;
  queue->window = DOOR_SIZE_CREDIT;
  queue->taken = 0;
}

bool queue_add(struct queue *queue, const uint8_t *bytes, size_t length) {
  if (length > queue->window) return false;
  queue->window -= (uint32_t)length;
  const size_t tail = (queue->head + queue->length) % DOOR_SIZE_CREDIT;
  const size_t first = length < DOOR_SIZE_CREDIT - tail ? length : DOOR_SIZE_CREDIT - tail;
  memcpy(queue->bytes + tail, bytes, first);
  memcpy(queue->bytes, bytes + first, length - first);
  queue->length += length;
  return true;
}

size_t queue_next(const struct queue *queue, const uint8_t **bytes) {
  *bytes = queue->bytes + queue->head;
  const size_t whole = DOOR_SIZE_CREDIT - queue->head;
  return queue->length < whole ? queue->length : whole;
}

void queue_drop(struct queue *queue, size_t length) {
  queue->head = (queue->head + length) % DOOR_SIZE_CREDIT;
  queue->length -= length;
  queue->taken += (uint32_t)length;
}

uint32_t queue_credit(struct queue *queue) {
  if (queue->taken < PORTION) return 0;
  const uint32_t credit = queue->taken;
  queue->window += credit;
  queue->taken = 0;
  return credit;
}
