// Splits a block of NUL-terminated strings.
#include "arguments.h"

#include <string.h>

bool arguments_split(char *block, size_t length, size_t count, char **strings) {
  if (length == 0 || block[length - 1] != '\0') return false;
  char *at = block;
  char *const end = block + length;
  for (size_t index = 0; index < count; index++) {
    if (at >= end) return false;
    strings[index] = at;
    at += strlen(at) + 1; // stays within: the block ends with NUL
  }
  strings[count] = NULL;
  return at == end;
}
