// What may be used as text, and in which language a person is told.
#include "text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Length of the sequence that begins here; 0 for none. Reads no further than the first byte that does not fit, which the final NUL never does.
static size_t sequence(const uint8_t *at) {
  if (at[0] < 0x80) return 1;
  const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
  for (size_t index = 1; index < length; index++)
    if ((at[index] & 0xc0) != 0x80) return 0;
  const bool is_overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
  const bool is_beyond = (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f); // surrogates; above U+10FFFF
  return is_overlong || is_beyond ? 0 : length;
}

bool text_is_utf8(const char *text) {
  const uint8_t *at = (const uint8_t *)text;
  while (*at != 0) {
    const size_t length = sequence(at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool text_is_for_chinese(const char *asked) {
  if (asked != NULL) return strcmp(asked, "zh") == 0;
  const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    const char *value = getenv(names[index]);
    if (value == NULL || value[0] == '\0') continue;
    return strncasecmp(value, "zh", 2) == 0 && strchr("_.@-", value[2]) != NULL; // the NUL is among them
  }
  return false;
}
