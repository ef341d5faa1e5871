// The places of the state directory (docs/formats.md).
#define _GNU_SOURCE
#include "place.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cleanup.h"
#include "text.h"

#define DIGITS (2 * DOOR_SIZE_TOKEN_BYTES)

static void close_file(FILE **file) {
  if (*file != NULL) fclose(*file);
}

// Of the user database, never of $HOME; without links. False where the database is elsewhere.
static bool find_home(char home[PATH_MAX]) {
  __attribute__((cleanup(close_file))) FILE *file = fopen("/etc/passwd", "re");
  if (file == NULL) return false;
  for (const struct passwd *entry = fgetpwent(file); entry != NULL; entry = fgetpwent(file))
    if (entry->pw_uid == getuid()) return realpath(entry->pw_dir, home) != NULL;
  return false;
}

// NULL when it is to be ignored. What would have to be normalised is left to somebody else.
static const char *directory_variable(const char *name, bool *is_plain) {
  const char *value = getenv(name);
  if (value == NULL || value[0] != '/') return NULL;
  if (strstr(value, "/..") != NULL || !text_is_utf8(value)) *is_plain = false;
  return value;
}

static bool join(char joined[PATH_MAX], const char *directory, const char *below) {
  const int length = snprintf(joined, PATH_MAX, "%s/%s", directory, below);
  return length > 0 && length < PATH_MAX;
}

// By the state itself, which several may have their sockets beside.
static bool name_socket(char socket[PATH_MAX], const char *state, const char *directory, const char *below) {
  struct stat found;
  if (stat(state, &found) != 0) return false;
  const int length = snprintf(socket, PATH_MAX, "%s/%s/door-%lx-%lx.sock", directory, below, found.st_dev, found.st_ino);
  return length > 0 && length < PATH_MAX;
}

bool place_find(struct place *place) {
  char home[PATH_MAX], state[PATH_MAX];
  bool is_plain = true;
  const char *own = directory_variable("XDG_STATE_HOME", &is_plain);
  const char *runtime = directory_variable("XDG_RUNTIME_DIR", &is_plain);
  if (!is_plain) return false;
  bool fits;
  if (own != NULL) fits = join(state, own, "glovebox");
  else if (getuid() == 0) fits = join(state, "/var/lib", "glovebox");
  else fits = find_home(home) && join(state, home, ".local/state/glovebox");
  if (!fits || !join(place->keys, state, "door")) return false;
  return runtime == NULL ? name_socket(place->socket, state, state, "run") : name_socket(place->socket, state, runtime, "glovebox");
}

static int digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool place_token(const struct place *place, const char *sandbox, uint8_t token[DOOR_SIZE_TOKEN_BYTES]) {
  char path[PATH_MAX + 64], text[DIGITS + 1];
  snprintf(path, sizeof path, "%s/%s.token", place->keys, sandbox);
  AUTO_CLOSE const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat found;
  if (file < 0 || fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return false;
  if (found.st_uid != getuid() || (found.st_mode & 077) != 0 || read(file, text, sizeof text) != DIGITS) return false;
  for (size_t index = 0; index < DOOR_SIZE_TOKEN_BYTES; index++) {
    const int high = digit(text[2 * index]), low = digit(text[2 * index + 1]);
    if (high < 0 || low < 0) return false;
    token[index] = (uint8_t)(high << 4 | low);
  }
  return true;
}
