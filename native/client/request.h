// What is said first: HELLO, the command, and what proves that it may be asked for.
#ifndef GLOVEBOX_CLIENT_REQUEST_H
#define GLOVEBOX_CLIENT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../door-protocol.h"
#include "command-line.h"

#define REQUEST_STREAM 1u

struct request {
  const struct command_line *line;
  const char *directory;  // absolute, without links
  char *const *variables; // of the caller, ended by NULL
  const uint8_t *token;
  uint32_t flags;
  uint16_t rows, columns;
};

// The frames, which the caller frees; NULL when it is more than a broker takes, or there is no memory.
uint8_t *request_frames(const struct request *request, size_t *length);

#endif
