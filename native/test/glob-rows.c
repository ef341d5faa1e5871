// Answers rows of patterns and paths by the masker's rules, for the vectors that both matchers share. On standard input, for each row:
// u8 folds, u16le length of the segments as in a RULE frame, u16le length of the path, segments, path. Prints one line each: 1 or 0.
#include <stdio.h>
#include <stdlib.h>

#include "../masker/report.h"
#include "../masker/rules.h"
#include "../protocol/bytes.h"

#define HEADER 5

_Noreturn void give_up(unsigned kind, int error, const char *path, size_t length) {
  (void)path;
  (void)length;
  fprintf(stderr, "gave up: trouble %u, error %d\n", kind, error);
  exit(1);
}

static bool matches(struct text path, bool folds) {
  const struct states *states = rules_start();
  uint16_t matched = NO_RULE;
  for (size_t at = 1; at < path.length;) {
    size_t end = at;
    while (end < path.length && path.bytes[end] != '/') end++;
    states = rules_step(states, (struct text){path.bytes + at, end - at}, folds, &matched);
    at = end + 1;
  }
  return matched != NO_RULE;
}

int main(void) {
  static uint8_t bytes[GM_SIZE_FRAME_MAX + GM_SIZE_PATH_MAX];
  uint8_t header[HEADER];
  while (fread(header, 1, sizeof header, stdin) == sizeof header) {
    const size_t rule = read_u16(header + 1), path = read_u16(header + 3);
    if (rule + path > sizeof bytes || fread(bytes, 1, rule + path, stdin) != rule + path) return 2;
    rule_count = 0;
    if (!rules_add(GM_KIND_GLOB, bytes, rule)) return 2;
    puts(matches((struct text){bytes + rule, path}, header[0] != 0) ? "1" : "0");
  }
  return 0;
}
