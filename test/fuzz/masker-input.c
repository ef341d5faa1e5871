// The fuzzer's way into what the masker is told and what it then reads: any bytes as frames, and the rest as the names of a path.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/masker/places.c" // for their state, which each run begins anew
#include "../../native/masker/rules.c"

#define MUST(condition) \
  do { \
    if (!(condition)) abort(); \
  } while (0)

#define FRAMES_MOST 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Nothing that a frame or a name holds makes the masker give up here: memory alone could.
_Noreturn void give_up(unsigned kind, int error, const char *path, size_t length) {
  (void)kind;
  (void)error;
  (void)path;
  (void)length;
  abort();
}

// In memory of its own size, which is gone afterwards: nothing may read past it or keep it.
static void tell(uint8_t type, const uint8_t *bytes, size_t length) {
  uint8_t *payload = malloc(length == 0 ? 1 : length);
  MUST(payload != NULL);
  memcpy(payload, bytes, length);
  if (type % 3 == 0) places_add((struct text){payload, length});
  else if (type % 3 == 1) exempt_add((struct text){payload, length});
  else if (length > 1) rules_add(payload[0], payload + 1, length - 1);
  free(payload);
}

static void walk_names(const uint8_t *bytes, size_t length, bool folds) {
  const struct states *states = rules_start();
  for (size_t at = 0; at < length;) {
    size_t end = at;
    while (end < length && bytes[end] != '/') end++;
    const bool was_alive = states->alive;
    uint16_t matched;
    states = rules_step(states, (struct text){bytes + at, end - at}, folds, &matched);
    MUST(matched == NO_RULE || (was_alive && matched < rule_count));
    at = end + 1;
  }
  uint16_t matched;
  rules_step(rules_nowhere(), (struct text){bytes, length}, folds, &matched);
  MUST(matched == NO_RULE);
}

static void ask_places(const uint8_t *bytes, size_t length) {
  if (length == 0) return;
  for (size_t index = 0; index < place_count(); index++) {
    const struct text place = place_at(index);
    MUST(is_in_place((const char *)place.bytes, place.length) && is_above_place((const char *)place.bytes, place.length));
  }
  is_in_place((const char *)bytes, length);
  is_above_place((const char *)bytes, length);
  is_exempt((struct path){(char *)(uintptr_t)bytes, length});
}

static void forget_list(struct list *list) {
  for (size_t index = 0; index < list->count; index++) free((void *)(uintptr_t)list->at[index].bytes);
  free(list->at);
  *list = (struct list){NULL, 0, 0};
}

static void forget_everything(void) {
  for (size_t index = 0; index < rule_count; index++) {
    free((void *)(uintptr_t)(rules[index].segments[0].text.bytes - 3));
    free(rules[index].segments);
  }
  rule_count = vector_count = 0;
  for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
    while (buckets[bucket] != NULL) {
      struct states *next = buckets[bucket]->next;
      free(buckets[bucket]);
      buckets[bucket] = next;
    }
  }
  forget_list(&places);
  forget_list(&exempts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t at = 0;
  for (size_t frames = 0; frames < FRAMES_MOST && size - at >= 3; frames++) {
    const uint8_t type = data[at];
    if (type == 0xff) break;
    const size_t told = read_u16(data + at + 1), left = size - at - 3;
    const size_t length = told < left ? told : left;
    tell(type, data + at + 3, length);
    at += 3 + length;
  }
  for (int folds = 0; folds < 2; folds++) walk_names(data + at, size - at, folds != 0);
  ask_places(data + at, size - at);
  forget_everything();
  return 0;
}
