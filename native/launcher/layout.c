// Reads and takes apart. It knows no operation.
#define _GNU_SOURCE
#include "layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX (16u << 20)

// Texts stay where they are, for whoever was given them: pages that nothing was read into cost nothing.
static char bytes[BYTES_MAX];

static bool read_more(struct layout *layout) {
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, bytes + layout->end, sizeof bytes - layout->end);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    layout->end += (size_t)got;
    return true;
  }
}

static bool take(struct layout *layout, char *byte) {
  if (layout->at == layout->end && !read_more(layout)) return false;
  *byte = bytes[layout->at++];
  return true;
}

static bool take_length(struct layout *layout, size_t *length) {
  char byte;
  size_t digits = 0;
  for (*length = 0; take(layout, &byte) && byte >= '0' && byte <= '9'; digits++) {
    *length = *length * 10 + (size_t)(byte - '0');
    if (*length > BYTES_MAX) return false;
  }
  return digits > 0 && bytes[layout->at - 1] == ':';
}

bool layout_is_over(struct layout *layout) {
  return layout->at == layout->end && !read_more(layout);
}

bool layout_next(struct layout *layout, struct field *field) {
  size_t length;
  char comma;
  if (!take_length(layout, &length)) return false;
  const size_t start = layout->at;
  while (layout->end - start < length) {
    if (!read_more(layout)) return false;
  }
  layout->at = start + length;
  if (!take(layout, &comma) || comma != ',') return false;
  bytes[start + length] = '\0';
  *field = (struct field){bytes + start, length};
  return true;
}

bool layout_text(struct layout *layout, const char **text) {
  struct field field;
  if (!layout_next(layout, &field) || field.length == 0 || strlen(field.text) != field.length) return false;
  *text = field.text;
  return true;
}

bool layout_number(struct layout *layout, int base, unsigned long long most, unsigned long long *value) {
  const char *text;
  if (!layout_text(layout, &text) || *text < '0' || *text > '9') return false;
  char *end;
  errno = 0;
  *value = strtoull(text, &end, base);
  return errno == 0 && *end == '\0' && *value <= most;
}
