// The rules as machines over the names of a path: a directory's place in all of them is one vector of states.
#ifndef GLOVEBOX_MASKER_RULES_H
#define GLOVEBOX_MASKER_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../masker-protocol.h"
#include "../shared/glob.h"

struct segment {
  uint8_t kind;
  struct text text;
};

struct rule {
  uint8_t kind;
  size_t count;
  struct segment *segments;
};

// A number for each rule; its bits are the segments that may come next. Equal vectors are one object.
struct states {
  struct states *next;
  bool alive; // some rule may still match below
  uint64_t of[];
};

extern struct rule rules[GM_SIZE_RULES_MAX];
extern size_t rule_count;

#define NO_RULE UINT16_MAX

// False when the segments are malformed.
bool rules_add(uint8_t kind, const uint8_t *segments, size_t length);
const struct states *rules_start(void);
// Of a directory in which no rule can match.
const struct states *rules_nowhere(void);
// The states of `name` in a directory. `*matched` is the first rule that denies it, or NO_RULE: a glob only where no literal does.
const struct states *rules_step(const struct states *states, struct text name, bool folds, uint16_t *matched);

#endif
