// The fuzzer's way into the thin client: any bytes as what a broker said, through its frame check, its order and its queues.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/client/hear.h"
#include "../../native/protocol.h"

#define MUST(condition) \
  do { \
    if (!(condition)) abort(); \
  } while (0)

#define NARROW 600u // bytes

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What our reader takes, a part at a time; in the end exactly what came.
static void take(struct queue *queue, size_t *came) {
  const uint8_t *bytes;
  const size_t length = queue_next(queue, &bytes);
  MUST(length <= *came && bytes >= queue->bytes && bytes + length <= queue->bytes + DOOR_SIZE_CREDIT);
  const size_t taken = length / 2 + length % 2;
  for (size_t index = 0; index < taken; index++) MUST(bytes[index] == queue->bytes[(queue->head + index) % DOOR_SIZE_CREDIT]);
  queue_drop(queue, taken);
  *came -= taken;
}

static void check_accounts(const struct hearing *hearing, const size_t came[2]) {
  MUST(hearing->input_credit <= DOOR_SIZE_CREDIT && hearing->words_length <= sizeof hearing->words);
  for (size_t index = 0; index < 2; index++) {
    const struct queue *queue = &hearing->output[index];
    MUST(queue->length == came[index] && queue->length + queue->taken + queue->window == DOOR_SIZE_CREDIT);
  }
}

// As they are shown: each ends before the next begins, and all within what was kept.
static void read_words(const struct hearing *hearing) {
  size_t length = 0;
  for (const char *word = hear_word(hearing, NULL); word != NULL; word = hear_word(hearing, word)) length += strlen(word) + 1;
  MUST(length == hearing->words_length);
}

static bool act(struct hearing *hearing, const struct frame *frame, size_t came[2]) {
  const enum heard heard = hear_frame(hearing, frame);
  if (heard == HEARD_BROKEN || heard == HEARD_STRANGER) return false;
  MUST(hearing->is_greeted);
  if (frame->type == DOOR_TYPE_STDOUT) came[0] += frame->length;
  if (frame->type == DOOR_TYPE_STDERR) came[1] += frame->length;
  check_accounts(hearing, came);
  if (heard == HEARD_ASKED || heard == HEARD_RESULT || heard == HEARD_REFUSED) read_words(hearing);
  if (heard == HEARD_REFUSED) MUST(hear_word(hearing, hear_word(hearing, hear_word(hearing, NULL))) != NULL);
  for (size_t index = 0; index < 2; index++) {
    take(&hearing->output[index], &came[index]);
    if (frame->type == DOOR_TYPE_CREDIT) queue_credit(&hearing->output[index]);
  }
  hearing->input_credit -= hearing->input_credit / 3; // some input goes out
  return heard != HEARD_RESULT && heard != HEARD_REFUSED;
}

// A window that is nearly used up is soon broken.
static void begin(struct hearing *hearing, bool is_narrow) {
  hear_begin(hearing);
  for (size_t index = 0; is_narrow && index < 2; index++) {
    hearing->output[index].taken = DOOR_SIZE_CREDIT - NARROW;
    hearing->output[index].window = NARROW;
    hearing->output[index].head = DOOR_SIZE_CREDIT - NARROW / 2;
  }
}

// In memory of just the bytes that have come, so that reading past them is caught.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct hearing hearing;
  size_t came[2] = {0, 0};
  struct frame frame;
  begin(&hearing, size % 2 == 1);
  while (frame_next(hear_longest, data, size, &frame) == FRAME_WHOLE) {
    if (!act(&hearing, &frame, came)) break;
    data += GB_SIZE_HEADER + frame.length;
    size -= GB_SIZE_HEADER + frame.length;
  }
  return 0;
}
