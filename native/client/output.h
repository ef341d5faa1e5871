// Our standard output or error, written to without ever waiting.
#ifndef GLOVEBOX_CLIENT_OUTPUT_H
#define GLOVEBOX_CLIENT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue.h"

enum output_kind { OUTPUT_FREE, OUTPUT_SOCKET, OUTPUT_MAY_WAIT };

struct output {
  int fd;
  enum output_kind kind;
  bool is_blocked; // nothing more goes until poll says so
  uint8_t last;    // byte that was written
};

void output_open(struct output *output, int fd);

// Writes what goes now. 0, or what keeps any more from being written.
int output_write(struct output *output, struct queue *queue);

// Writes a text whole, and waits for room as long as `patience_ms` each time (-1: for ever).
void output_say(int fd, const char *text, int patience_ms);

#endif
