// The broker is trusted, but it may be another one, or break: whatever it says is checked before it is used.
#include "hear.h"

#include <string.h>

#include "../protocol/bytes.h"
#include "request.h"
#include "words.h"

#define EXIT_CODE_MAX 255u
#define HELLO_HEAD 8u
#define REFUSED_WORDS 3u

uint32_t hear_longest(uint8_t type) {
  switch (type) {
    case DOOR_TYPE_PART:
    case DOOR_TYPE_STDOUT:
    case DOOR_TYPE_STDERR:
      return DOOR_SIZE_DATA_MAX;
    case DOOR_TYPE_HELLO:
    case DOOR_TYPE_CREDIT:
    case DOOR_TYPE_STARTED:
    case DOOR_TYPE_ASKED:
    case DOOR_TYPE_RESULT:
    case DOOR_TYPE_REFUSED:
      return DOOR_SIZE_CONTROL_MAX;
    default:
      return UINT32_MAX;
  }
}

void hear_begin(struct hearing *hearing) {
  hearing->is_greeted = false;
  hearing->input_credit = DOOR_SIZE_CREDIT;
  hearing->words_length = 0;
  for (size_t index = 0; index < 2; index++) queue_begin(&hearing->output[index]);
}

static enum heard hear_hello(struct hearing *hearing, const struct frame *frame) {
  const size_t length = strlen(CLIENT_VERSION);
  if (hearing->is_greeted || frame->stream != 0 || frame->length < HELLO_HEAD) return HEARD_BROKEN;
  if (read_u32(frame->payload) != DOOR_SIZE_VERSION || frame->length != HELLO_HEAD + length) return HEARD_STRANGER;
  if (memcmp(frame->payload + HELLO_HEAD, CLIENT_VERSION, length) != 0) return HEARD_STRANGER;
  hearing->is_greeted = true;
  return HEARD_ON;
}

static enum heard hear_credit(struct hearing *hearing, const struct frame *frame) {
  if (frame->length != 8 || read_u32(frame->payload) != DOOR_CHANNEL_STDIN) return HEARD_BROKEN;
  const uint32_t more = read_u32(frame->payload + 4);
  if (more > DOOR_SIZE_CREDIT - hearing->input_credit) return HEARD_BROKEN;
  hearing->input_credit += more;
  return HEARD_ON;
}

// Whole texts only. @returns how many, or SIZE_MAX
static size_t keep_words(struct hearing *hearing, const uint8_t *bytes, size_t length) {
  if (length > 0 && bytes[length - 1] != '\0') return SIZE_MAX;
  memcpy(hearing->words, bytes, length);
  hearing->words_length = length;
  size_t count = 0;
  for (size_t index = 0; index < length; index++) count += bytes[index] == '\0';
  return count;
}

static enum heard hear_end(struct hearing *hearing, const struct frame *frame) {
  const bool is_result = frame->type == DOOR_TYPE_RESULT;
  const size_t fixed = is_result ? DOOR_SIZE_RESULT_BYTES : 4;
  if (frame->length < fixed || read_u32(frame->payload) > EXIT_CODE_MAX) return HEARD_BROKEN;
  hearing->exit_code = read_u32(frame->payload);
  const size_t count = keep_words(hearing, frame->payload + fixed, frame->length - fixed);
  if (count == SIZE_MAX || (!is_result && count != REFUSED_WORDS)) return HEARD_BROKEN;
  return is_result ? HEARD_RESULT : HEARD_REFUSED;
}

// `q-`, and digits and dashes.
static enum heard hear_asked(struct hearing *hearing, const struct frame *frame) {
  if (frame->length < 3 || frame->length >= DOOR_SIZE_ID_BYTES) return HEARD_BROKEN;
  memcpy(hearing->words, frame->payload, frame->length);
  hearing->words[frame->length] = '\0';
  hearing->words_length = frame->length + 1;
  const bool is_id = hearing->words[0] == 'q' && strspn(hearing->words + 1, "-0123456789abcdef") == frame->length - 1;
  return is_id ? HEARD_ASKED : HEARD_BROKEN;
}

static enum heard hear_output(struct queue *queue, const struct frame *frame) {
  return queue_add(queue, frame->payload, frame->length) ? HEARD_ON : HEARD_BROKEN;
}

enum heard hear_frame(struct hearing *hearing, const struct frame *frame) {
  if (frame->type == DOOR_TYPE_HELLO) return hear_hello(hearing, frame);
  if (!hearing->is_greeted || frame->stream > REQUEST_STREAM) return HEARD_BROKEN;
  if (frame->type == DOOR_TYPE_PART) return HEARD_ON; // more of what follows, for programs
  if (frame->type == DOOR_TYPE_REFUSED) return hear_end(hearing, frame);
  if (frame->stream != REQUEST_STREAM) return HEARD_BROKEN;
  switch (frame->type) {
    case DOOR_TYPE_CREDIT:
      return hear_credit(hearing, frame);
    case DOOR_TYPE_STARTED:
      return frame->length == 0 ? HEARD_STARTED : HEARD_BROKEN;
    case DOOR_TYPE_ASKED:
      return hear_asked(hearing, frame);
    case DOOR_TYPE_STDOUT:
      return hear_output(&hearing->output[0], frame);
    case DOOR_TYPE_STDERR:
      return hear_output(&hearing->output[1], frame);
    default:
      return hear_end(hearing, frame); // RESULT: no other type has a length
  }
}

const char *hear_word(const struct hearing *hearing, const char *word) {
  const char *next = word == NULL ? hearing->words : word + strlen(word) + 1;
  return next < hearing->words + hearing->words_length ? next : NULL;
}
