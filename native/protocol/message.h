// What a frame from the host says. Pure: checks shape and ranges, not order.
#ifndef GLOVEBOX_MESSAGE_H
#define GLOVEBOX_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol.h"
#include "frame.h"

#define PATH_BYTES 4096u // PATH_MAX, with the NUL

struct message_hello {
  uint32_t version, features, epoch;
};

struct message_credit {
  uint32_t channel, bytes;
};

struct message_rule {
  uint64_t rights;
  bool optional;
  uint8_t domain;
  char path[PATH_BYTES];
};

struct message_rlimit {
  uint32_t resource;
  uint64_t value;
};

struct message_exec {
  bool pty;
  bool makes_output;
  uint16_t rows, columns;
  uint32_t argc, envc, umask, rlimit_count;
  struct message_rlimit rlimits[GB_SIZE_RLIMITS_MAX];
};

struct message_touch_log {
  uint32_t descriptor;
  uint64_t file_bytes_max, kept_bytes_max;
};

struct message_size {
  uint16_t rows, columns;
};

struct message_bytes {
  const uint8_t *at; // points into the frame
  uint32_t length;
};

// Its segments are checked when they are taken.
struct message_read_rule {
  uint8_t kind;
  struct message_bytes segments;
};

struct message {
  uint8_t type; // GB_TYPE_*
  uint32_t stream;
  union {
    struct message_hello hello;
    struct message_credit credit;
    struct message_rule rule;
    struct message_exec exec;
    char text[PATH_BYTES]; // WRITE_ROOT, LISTED_NAME, LISTED_PATH, READ_EXEMPT
    struct message_touch_log touch_log;
    struct message_read_rule read_rule;
    struct message_size size;
    struct message_bytes data;
    uint32_t signal;
    uint32_t descriptor; // SHARED_LOCK
  };
};

// The longest payload of a type that a host may send; UINT32_MAX for any other type.
uint32_t message_longest(uint8_t type);

// False when the payload does not have the shape that its type demands.
bool message_parse(const struct frame *frame, struct message *message);

#endif
