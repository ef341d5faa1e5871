// Matching with one step back: after a mismatch the last `*` takes one character more, so the time is at most the product of the lengths.
//
// A directory that folds case may fold much more than ASCII letters (U+212A is a k there, and some code points are nothing at all), by
// tables that this program does not have: in such a directory a name with other bytes than ASCII matches everything that it might be.
#include "glob.h"

#define INVALID 0x110000u // + the byte: no character, yet a different one for each byte

static bool is_plain_ascii(struct text name) {
  for (size_t at = 0; at < name.length; at++) {
    if (name.bytes[at] >= 0x80) return false;
  }
  return true;
}

// RFC 3629: neither a longer form than needed nor a surrogate.
static bool has_tail(const uint8_t *at, size_t count) {
  for (size_t index = 1; index <= count; index++) {
    if ((at[index] & 0xc0) != 0x80) return false;
  }
  const bool is_overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
  return !is_overlong && !(at[0] == 0xed && at[1] > 0x9f) && !(at[0] == 0xf4 && at[1] > 0x8f);
}

static uint32_t next_character(struct text text, size_t *at) {
  const uint8_t *bytes = text.bytes + *at;
  const uint8_t lead = bytes[0];
  const size_t tail = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
  if (lead < 0x80 || tail == 0 || text.length - *at <= tail || !has_tail(bytes, tail)) {
    *at += 1;
    return lead < 0x80 ? lead : INVALID + lead;
  }
  uint32_t character = lead & (0x3fu >> tail);
  for (size_t index = 1; index <= tail; index++) character = character << 6 | (bytes[index] & 0x3fu);
  *at += tail + 1;
  return character;
}

static uint32_t fold(uint32_t character, bool folds) {
  return folds && character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
}

static uint32_t class_member(struct text pattern, size_t *at) {
  if (pattern.bytes[*at] == '\\' && *at + 1 < pattern.length) *at += 1;
  return next_character(pattern, at);
}

static bool is_in(uint32_t first, uint32_t last, uint32_t character, bool folds) {
  if (character >= first && character <= last) return true;
  if (!folds) return false;
  const uint32_t other = character >= 'a' && character <= 'z' ? character - ('a' - 'A') : fold(character, true);
  return other >= first && other <= last;
}

// At `[`; the policy has checked that it is closed. Moves behind the class.
static bool class_matches(struct text pattern, size_t *at, uint32_t character, bool folds) {
  *at += 1;
  const bool negated = *at < pattern.length && (pattern.bytes[*at] == '!' || pattern.bytes[*at] == '^');
  if (negated) *at += 1;
  bool found = false;
  while (*at < pattern.length && pattern.bytes[*at] != ']') {
    const uint32_t first = class_member(pattern, at);
    uint32_t last = first;
    if (*at + 1 < pattern.length && pattern.bytes[*at] == '-' && pattern.bytes[*at + 1] != ']') {
      *at += 1;
      last = class_member(pattern, at);
    }
    found = found || is_in(first, last, character, folds);
  }
  *at += 1;
  return found != negated;
}

static bool one_matches(struct text pattern, size_t *at, uint32_t character, bool folds) {
  switch (pattern.bytes[*at]) {
    case '?':
      *at += 1;
      return true;
    case '[':
      return class_matches(pattern, at, character, folds);
    case '\\':
      if (*at + 1 < pattern.length) *at += 1;
      break;
    default:
      break;
  }
  return fold(next_character(pattern, at), folds) == fold(character, folds);
}

static bool walk(struct text pattern, struct text name, bool folds) {
  size_t at = 0, in_name = 0;
  size_t star = SIZE_MAX, retry = 0;
  while (in_name < name.length) {
    if (at < pattern.length && pattern.bytes[at] == '*') {
      star = ++at;
      retry = in_name;
      continue;
    }
    size_t next = at, next_in_name = in_name;
    const uint32_t character = next_character(name, &next_in_name);
    if (at < pattern.length && one_matches(pattern, &next, character, folds)) {
      at = next;
      in_name = next_in_name;
    } else if (star != SIZE_MAX) {
      next_character(name, &retry);
      at = star;
      in_name = retry;
    } else {
      return false;
    }
  }
  while (at < pattern.length && pattern.bytes[at] == '*') at++;
  return at == pattern.length;
}

bool glob_matches(struct text pattern, struct text name, bool folds) {
  return (folds && !is_plain_ascii(name)) || walk(pattern, name, folds);
}

bool literal_matches(struct text literal, struct text name, bool folds) {
  if (folds && !is_plain_ascii(name)) return true;
  if (literal.length != name.length) return false;
  for (size_t at = 0; at < name.length; at++) {
    if (fold(literal.bytes[at], folds) != fold(name.bytes[at], folds)) return false;
  }
  return true;
}
