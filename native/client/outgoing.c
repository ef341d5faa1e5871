// At most one data frame waits at a time; small frames have room of their own behind it.
#define _GNU_SOURCE
#include "outgoing.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "../protocol/bytes.h"
#include "../protocol/frame.h"
#include "request.h"

bool outgoing_is_empty(const struct outgoing *outgoing) {
  return outgoing->first_length == 0 && outgoing->head == outgoing->tail;
}

bool outgoing_put(struct outgoing *outgoing, uint8_t type, const uint32_t *numbers, size_t count) {
  const size_t length = count * 4;
  if (sizeof outgoing->bytes - outgoing->tail < GB_SIZE_HEADER + length) return false;
  uint8_t *at = outgoing->bytes + outgoing->tail;
  frame_header(at, type, REQUEST_STREAM, (uint32_t)length);
  for (size_t index = 0; index < count; index++) write_u32(at + GB_SIZE_HEADER + 4 * index, numbers[index]);
  outgoing->tail += GB_SIZE_HEADER + length;
  return true;
}

size_t outgoing_data_room(struct outgoing *outgoing, uint8_t **payload) {
  if (!outgoing_is_empty(outgoing)) return 0;
  *payload = outgoing->bytes + outgoing->tail + GB_SIZE_HEADER;
  return DOOR_SIZE_DATA_MAX;
}

void outgoing_put_data(struct outgoing *outgoing, uint8_t type, size_t length) {
  frame_header(outgoing->bytes + outgoing->tail, type, REQUEST_STREAM, (uint32_t)length);
  outgoing->tail += GB_SIZE_HEADER + length;
}

static bool send_some(int socket, const uint8_t *bytes, size_t length, size_t *sent) {
  *sent = 0;
  while (*sent < length) {
    const ssize_t done = send(socket, bytes + *sent, length - *sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno == EAGAIN;
    *sent += (size_t)done;
  }
  return true;
}

bool outgoing_send(struct outgoing *outgoing, int socket) {
  size_t sent;
  const bool is_there = send_some(socket, outgoing->first, outgoing->first_length, &sent);
  outgoing->first += sent;
  outgoing->first_length -= sent;
  if (!is_there || outgoing->first_length > 0) return is_there;
  const bool is_still_there = send_some(socket, outgoing->bytes + outgoing->head, outgoing->tail - outgoing->head, &sent);
  outgoing->head += sent;
  if (outgoing->head == outgoing->tail) outgoing->head = outgoing->tail = 0;
  return is_still_there;
}
