// What the broker says, in the order in which it may be said. Pure: keeps what is needed later and writes nothing anywhere.
#ifndef GLOVEBOX_CLIENT_HEAR_H
#define GLOVEBOX_CLIENT_HEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../door-protocol.h"
#include "../protocol/frame.h"
#include "queue.h"

struct hearing {
  bool is_greeted;
  uint32_t input_credit; // bytes of stdin that may still be sent
  struct queue output[2]; // stdout, stderr
  uint32_t exit_code;     // of RESULT or REFUSED
  // Of ASKED the question's id; of RESULT the notes; of REFUSED code, message and hint: texts ended by NUL.
  char words[DOOR_SIZE_CONTROL_MAX];
  size_t words_length;
};

enum heard {
  HEARD_ON,
  HEARD_STARTED,
  HEARD_ASKED, // a person is asked: the only word is the question's id
  HEARD_RESULT,
  HEARD_REFUSED,
  HEARD_STRANGER, // it speaks another version: it has done nothing
  HEARD_BROKEN,   // what cannot come
};

// The longest payload of a type that a broker may send; UINT32_MAX for any other type.
uint32_t hear_longest(uint8_t type);

void hear_begin(struct hearing *hearing);

enum heard hear_frame(struct hearing *hearing, const struct frame *frame);

// The text after `word`, or the first for NULL; NULL when there is none.
const char *hear_word(const struct hearing *hearing, const char *word);

#endif
