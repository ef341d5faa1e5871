// Reads and takes apart. It knows no operation.
#define _GNU_SOURCE
#include "layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX (16u << 20)
#define BYTES_FIRST (64u << 10)

int layout_read(struct layout *layout) {
  size_t room = BYTES_FIRST, length = 0;
  char *bytes = malloc(room);
  for (;;) {
    if (bytes == NULL) return ENOMEM;
    const ssize_t got = read(STDIN_FILENO, bytes + length, room - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    length += (size_t)got;
    if (length < room) continue;
    if (room >= BYTES_MAX) return E2BIG;
    room *= 2;
    char *more = realloc(bytes, room);
    if (more == NULL) free(bytes);
    bytes = more;
  }
  *layout = (struct layout){bytes, bytes + length};
  // What comes after us reads nothing, and has no way to the host through it.
  close(STDIN_FILENO);
  return open("/dev/null", O_RDONLY) == STDIN_FILENO ? 0 : EBADF;
}

bool layout_is_over(const struct layout *layout) {
  return layout->at == layout->end;
}

bool layout_next(struct layout *layout, struct field *field) {
  size_t length = 0;
  char *at = layout->at;
  for (; at < layout->end && *at >= '0' && *at <= '9'; at++) {
    length = length * 10 + (size_t)(*at - '0');
    if (length > BYTES_MAX) return false;
  }
  if (at == layout->at || at == layout->end || *at != ':') return false;
  at++;
  if ((size_t)(layout->end - at) <= length || at[length] != ',') return false;
  at[length] = '\0';
  *field = (struct field){at, length};
  layout->at = at + length + 1;
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
