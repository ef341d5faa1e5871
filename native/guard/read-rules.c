// A path is walked name by name; the bits of a rule's number are the segments that may come next. The deepest literal wins, a tie denies;
// a glob denies whatever literals say, except what is exempt.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "read-rules.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/glob.h"
#include "../protocol/bytes.h"

struct segment {
  uint8_t kind;
  struct text text;
};

struct read_rule {
  uint8_t kind;
  size_t count;
  struct segment *segments;
};

static struct read_rule rules[GB_SIZE_READ_RULES_MAX];
static char *exempt[GB_SIZE_READ_RULES_MAX];
static size_t rule_count, exempt_count;
static bool strict;

static size_t take_segments(const uint8_t *bytes, size_t length, struct segment *segments) {
  size_t count = 0;
  for (size_t at = 0; at < length; count++) {
    if (length - at < 3 || count == GB_SIZE_SEGMENTS_MAX) return 0;
    const size_t text = read_u16(bytes + at + 1);
    if (text > length - at - 3) return 0;
    segments[count] = (struct segment){bytes[at], {bytes + at + 3, text}};
    if (bytes[at] < GB_SEGMENT_LITERAL || bytes[at] > GB_SEGMENT_ANY) return 0;
    at += 3 + text;
  }
  return count;
}

int read_rules_add(const struct message_read_rule *rule) {
  if (rule_count == GB_SIZE_READ_RULES_MAX) return E2BIG;
  uint8_t *copy = malloc(rule->segments.length);
  struct segment *segments = calloc(GB_SIZE_SEGMENTS_MAX, sizeof *segments);
  size_t count = 0;
  if (copy != NULL && segments != NULL) {
    memcpy(copy, rule->segments.at, rule->segments.length);
    count = take_segments(copy, rule->segments.length, segments);
  }
  if (count == 0) {
    free(copy);
    free(segments);
    return EINVAL;
  }
  rules[rule_count++] = (struct read_rule){rule->kind, count, segments};
  return 0;
}

int read_rules_exempt(const char *path) {
  if (exempt_count == GB_SIZE_READ_RULES_MAX) return E2BIG;
  exempt[exempt_count] = strdup(path);
  return exempt[exempt_count] == NULL ? errno : (exempt_count++, 0);
}

void read_rules_begin_strict(void) {
  strict = true;
}

bool read_rules_are_strict(void) {
  return strict;
}

// A segment that takes any number of names also takes none.
static uint64_t close_over(const struct read_rule *rule, uint64_t states) {
  for (size_t index = 0; index < rule->count; index++) {
    if ((states >> index & 1) != 0 && rule->segments[index].kind == GB_SEGMENT_ANY) states |= 1ull << (index + 1);
  }
  return states;
}

static bool segment_matches(const struct segment *segment, struct text name, bool folds) {
  return segment->kind == GB_SEGMENT_LITERAL ? literal_matches(segment->text, name, folds) : glob_matches(segment->text, name, folds);
}

static uint64_t step(const struct read_rule *rule, uint64_t states, struct text name, bool folds) {
  uint64_t after = 0;
  for (size_t index = 0; index < rule->count && states >> index != 0; index++) {
    if ((states >> index & 1) == 0) continue;
    if (rule->segments[index].kind == GB_SEGMENT_ANY) after |= 1ull << index;
    else if (segment_matches(&rule->segments[index], name, folds)) after |= 1ull << (index + 1);
  }
  return close_over(rule, after);
}

static bool is_exempt(const char *path, size_t length) {
  for (size_t index = 0; index < exempt_count; index++) {
    if (strlen(exempt[index]) == length && memcmp(exempt[index], path, length) == 0) return true;
  }
  return false;
}

struct walked {
  uint64_t states; // after the whole path
  size_t deepest;  // beginning of the path that the rule matches, 0: none
};

static struct walked walk(const struct read_rule *rule, const char *path, bool folds) {
  struct walked walked = {.states = close_over(rule, 1)};
  for (const char *at = path; *at == '/' && walked.states != 0;) {
    const char *name = ++at;
    at = strchrnul(name, '/');
    const size_t end = (size_t)(at - path);
    walked.states = step(rule, walked.states, (struct text){(const uint8_t *)name, (size_t)(at - name)}, folds);
    const bool matches = (walked.states >> rule->count & 1) != 0;
    if (matches && (rule->kind != GB_READ_DENY_GLOB || !is_exempt(path, end))) walked.deepest = end;
  }
  return walked;
}

bool read_rules_deny(const char *path, bool folds) {
  size_t denied = 0, allowed = 0;
  for (size_t index = 0; index < rule_count; index++) {
    const size_t depth = walk(&rules[index], path, folds).deepest;
    if (depth == 0) continue;
    if (rules[index].kind == GB_READ_DENY_GLOB) return true;
    size_t *side = rules[index].kind == GB_READ_DENY_LITERAL ? &denied : &allowed;
    if (depth > *side) *side = depth;
  }
  return denied > 0 && denied >= allowed;
}

bool read_rules_keep(const char *from, const char *to, bool folds) {
  for (size_t index = 0; index < rule_count; index++) {
    const struct read_rule *rule = &rules[index];
    if (rule->kind == GB_READ_ALLOW_LITERAL) continue;
    const struct walked before = walk(rule, from, folds);
    const struct walked after = walk(rule, to, folds);
    if (after.deepest != 0) continue; // denied there with all below
    if (before.deepest != 0 || (before.states & ~after.states) != 0) return false;
  }
  return true;
}
