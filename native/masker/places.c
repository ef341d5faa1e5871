// Two lists of absolute paths.
#include "places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct list {
  struct text *at;
  size_t count, room;
};

static struct list places, exempts;

static bool add(struct list *list, struct text path) {
  if (list->count == GM_SIZE_PLACES_MAX || path.length == 0 || path.length > GM_SIZE_PATH_MAX || path.bytes[0] != '/') return false;
  if (list->count == list->room) {
    list->room = list->room == 0 ? 64 : list->room * 2;
    list->at = realloc(list->at, list->room * sizeof *list->at);
  }
  uint8_t *copy = malloc(path.length + 1);
  if (copy == NULL || list->at == NULL) give_up(GM_TROUBLE_MEMORY, ENOMEM, NULL, 0);
  memcpy(copy, path.bytes, path.length);
  copy[path.length] = '\0';
  list->at[list->count++] = (struct text){copy, path.length};
  return true;
}

bool places_add(struct text path) {
  return add(&places, path);
}

bool exempt_add(struct text path) {
  return add(&exempts, path);
}

bool is_exempt(struct path path) {
  for (size_t index = 0; index < exempts.count; index++) {
    const struct text exempt = exempts.at[index];
    if (exempt.length == path.length && memcmp(exempt.bytes, path.bytes, path.length) == 0) return true;
  }
  return false;
}

size_t place_count(void) {
  return places.count;
}

struct text place_at(size_t index) {
  return places.at[index];
}

static bool is_at_or_below(const char *path, size_t length, const char *top, size_t top_length) {
  if (top_length == 1) return true;
  return length >= top_length && memcmp(path, top, top_length) == 0 && (length == top_length || path[top_length] == '/');
}

bool is_in_place(const char *path, size_t length) {
  for (size_t index = 0; index < places.count; index++) {
    if (is_at_or_below(path, length, (const char *)places.at[index].bytes, places.at[index].length)) return true;
  }
  return false;
}

bool is_above_place(const char *path, size_t length) {
  for (size_t index = 0; index < places.count; index++) {
    if (is_at_or_below((const char *)places.at[index].bytes, places.at[index].length, path, length)) return true;
  }
  return false;
}
