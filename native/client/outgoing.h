// Frames on their way to the broker.
#ifndef GLOVEBOX_CLIENT_OUTGOING_H
#define GLOVEBOX_CLIENT_OUTGOING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../door-protocol.h"
#include "../protocol.h"

#define OUTGOING_CONTROL 4096u // kept free for what is no data

struct outgoing {
  const uint8_t *first; // goes before all else; not ours
  size_t first_length;
  uint8_t bytes[GB_SIZE_HEADER + DOOR_SIZE_DATA_MAX + OUTGOING_CONTROL];
  size_t head, tail;
};

bool outgoing_is_empty(const struct outgoing *outgoing);

// A frame of up to two numbers. False when there is no room.
bool outgoing_put(struct outgoing *outgoing, uint8_t type, const uint32_t *numbers, size_t count);

// Where the payload of a data frame may be written, and how much of it: 0 while another one waits.
size_t outgoing_data_room(struct outgoing *outgoing, uint8_t **payload);

void outgoing_put_data(struct outgoing *outgoing, uint8_t type, size_t length);

// Sends what goes now. False when the broker is gone.
bool outgoing_send(struct outgoing *outgoing, int socket);

#endif
