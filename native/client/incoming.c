// The buffer holds two of the longest frames: room for the next is always made by moving what is left to the front.
#include "incoming.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "hear.h"

bool incoming_read(struct incoming *incoming, int socket) {
  memmove(incoming->bytes, incoming->bytes + incoming->head, incoming->tail - incoming->head);
  incoming->tail -= incoming->head;
  incoming->head = 0;
  const ssize_t length = recv(socket, incoming->bytes + incoming->tail, sizeof incoming->bytes - incoming->tail, MSG_DONTWAIT);
  if (length < 0) return errno == EAGAIN || errno == EINTR;
  incoming->tail += (size_t)length;
  return length > 0;
}

enum frame_result incoming_next(struct incoming *incoming, struct frame *frame) {
  const enum frame_result result = frame_next(hear_longest, incoming->bytes + incoming->head, incoming->tail - incoming->head, frame);
  if (result == FRAME_WHOLE) incoming->head += GB_SIZE_HEADER + frame->length;
  return result;
}
