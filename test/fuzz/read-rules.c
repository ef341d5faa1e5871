// The fuzzer's way into the rules about reading: any bytes as one rule, then two paths that it is asked about.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/guard/read-rules.c" // for its state, which each run begins anew

#define MUST(condition) \
  do { \
    if (!(condition)) abort(); \
  } while (0)

#define PATH_MOST 600u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The next text up to a NUL, as an absolute path.
static size_t take_path(const uint8_t *data, size_t size, char path[PATH_MOST]) {
  size_t length = 0;
  while (length < size && data[length] != 0) length++;
  const size_t kept = length < PATH_MOST - 4 ? length : PATH_MOST - 4;
  path[0] = '/';
  memcpy(path + 1, data, kept);
  path[kept + 1] = '\0';
  return length < size ? length + 1 : length;
}

static void ask(const char *first, const char *second) {
  char below[PATH_MOST + 4];
  for (int folds = 0; folds < 2; folds++) {
    MUST(read_rules_keep(first, first, folds != 0));
    const bool denied = read_rules_deny(first, folds != 0);
    const bool kept = read_rules_keep(first, second, folds != 0);
    strcat(strcpy(below, first), "/x");
    MUST(!denied || read_rules_deny(below, folds != 0)); // one rule that denies, and nothing that allows
    MUST(!denied || !kept || read_rules_deny(second, folds != 0));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) return 0;
  const size_t length = read_u16(data);
  if (length == 0 || length > size - 3) return 0;
  rule_count = 0;
  const uint8_t kind = data[2] % 2 == 0 ? GB_READ_DENY_LITERAL : GB_READ_DENY_GLOB;
  const struct message_read_rule rule = {kind, {data + 3, (uint32_t)length}};
  if (read_rules_add(&rule) != 0) return 0;
  char first[PATH_MOST], second[PATH_MOST];
  const uint8_t *rest = data + 3 + length;
  const size_t left = size - 3 - length;
  const size_t taken = take_path(rest, left, first);
  take_path(rest + taken, left - taken, second);
  ask(first, second);
  free((void *)(uintptr_t)rules[0].segments[0].text.bytes - 3);
  free(rules[0].segments);
  return 0;
}
