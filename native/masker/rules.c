// A step costs one comparison for each segment that may come next; most directories share their vector with the one above.
#include "rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../protocol/bytes.h"
#include "report.h"

#define BUCKETS 4096u
#define VECTORS_MAX 65536u // no policy needs so many: names inside cannot make more than the rules allow

struct rule rules[GM_SIZE_RULES_MAX];
size_t rule_count;
static struct states *buckets[BUCKETS];
static size_t vector_count;
static uint64_t scratch[GM_SIZE_RULES_MAX];

static size_t count_segments(const uint8_t *bytes, size_t length) {
  size_t count = 0;
  for (size_t at = 0; at < length; count++) {
    if (length - at < 3) return 0;
    const size_t text = read_u16(bytes + at + 1);
    if (bytes[at] < GM_SEGMENT_LITERAL || bytes[at] > GM_SEGMENT_ANY || text > length - at - 3) return 0;
    at += 3 + text;
  }
  return count;
}

bool rules_add(uint8_t kind, const uint8_t *bytes, size_t length) {
  const size_t count = count_segments(bytes, length);
  if (kind < GM_KIND_LITERAL || kind > GM_KIND_GLOB || count == 0 || count > GM_SIZE_SEGMENTS_MAX || rule_count == GM_SIZE_RULES_MAX) return false;
  uint8_t *copy = malloc(length);
  struct segment *segments = calloc(count, sizeof *segments);
  if (copy == NULL || segments == NULL) give_up(GM_TROUBLE_MEMORY, ENOMEM, NULL, 0);
  memcpy(copy, bytes, length);
  for (size_t index = 0, at = 0; index < count; index++) {
    const size_t text = read_u16(copy + at + 1);
    segments[index] = (struct segment){copy[at], {copy + at + 3, text}};
    at += 3 + text;
  }
  rules[rule_count++] = (struct rule){kind, count, segments};
  return true;
}

// A segment that takes any number of names also takes none.
static uint64_t close_over(const struct rule *rule, uint64_t states) {
  for (size_t index = 0; index < rule->count; index++) {
    if ((states >> index & 1) != 0 && rule->segments[index].kind == GM_SEGMENT_ANY) states |= 1ull << (index + 1);
  }
  return states;
}

static const struct states *intern(void) {
  uint64_t hash = 14695981039346656037ull;
  bool alive = false;
  for (size_t index = 0; index < rule_count; index++) {
    hash = (hash ^ scratch[index]) * 1099511628211ull;
    alive = alive || scratch[index] != 0;
  }
  struct states **bucket = &buckets[(hash ^ hash >> 32) % BUCKETS];
  for (struct states *known = *bucket; known != NULL; known = known->next) {
    if (memcmp(known->of, scratch, rule_count * sizeof *scratch) == 0) return known;
  }
  struct states *made = vector_count++ < VECTORS_MAX ? malloc(sizeof *made + rule_count * sizeof *scratch) : NULL;
  if (made == NULL) give_up(GM_TROUBLE_MEMORY, ENOMEM, NULL, 0);
  memcpy(made->of, scratch, rule_count * sizeof *scratch);
  made->alive = alive;
  made->next = *bucket;
  *bucket = made;
  return made;
}

const struct states *rules_start(void) {
  for (size_t index = 0; index < rule_count; index++) scratch[index] = close_over(&rules[index], 1);
  return intern();
}

const struct states *rules_nowhere(void) {
  memset(scratch, 0, sizeof scratch);
  return intern();
}

static bool segment_matches(const struct segment *segment, struct text name, bool folds) {
  return segment->kind == GM_SEGMENT_LITERAL ? literal_matches(segment->text, name, folds) : glob_matches(segment->text, name, folds);
}

static uint64_t step(const struct rule *rule, uint64_t states, struct text name, bool folds) {
  uint64_t after = 0;
  for (size_t index = 0; index < rule->count && states >> index != 0; index++) {
    if ((states >> index & 1) == 0) continue;
    const struct segment *segment = &rule->segments[index];
    if (segment->kind == GM_SEGMENT_ANY) after |= 1ull << index;
    else if (segment_matches(segment, name, folds)) after |= 1ull << (index + 1);
  }
  return close_over(rule, after);
}

const struct states *rules_step(const struct states *states, struct text name, bool folds, uint16_t *matched) {
  *matched = NO_RULE;
  for (size_t index = 0; index < rule_count; index++) {
    const struct rule *rule = &rules[index];
    scratch[index] = states->of[index] == 0 ? 0 : step(rule, states->of[index], name, folds);
    if ((scratch[index] >> rule->count & 1) == 0) continue;
    if (*matched == NO_RULE || (rule->kind == GM_KIND_LITERAL && rules[*matched].kind == GM_KIND_GLOB)) *matched = (uint16_t)index;
  }
  return intern();
}
