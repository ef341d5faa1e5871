// One command from our side: its streams, signals and terminal are joined to ours until it has ended.
#ifndef GLOVEBOX_CLIENT_RELAY_H
#define GLOVEBOX_CLIENT_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hear.h"

enum relay_end {
  RELAY_RESULT,
  RELAY_REFUSED,
  RELAY_NOBODY,   // nobody who could have understood us was there
  RELAY_LOST,     // the broker went away under the command
  RELAY_BROKEN,   // it said what cannot come
  RELAY_CLOSED,   // whoever read our output went away
  RELAY_UNWRITTEN // our output could not be written: `error`
};

struct relayed {
  enum relay_end end;
  int error;
  bool ends_line; // what a terminal shows ends with a line
};

struct relay_options {
  int socket, signals;
  const uint8_t *request;
  size_t request_length;
  bool has_terminal; // of its own, inside
  bool has_input;
  bool is_for_chinese;
};

struct relayed relay(const struct relay_options *options, struct hearing *hearing);

#endif
