// Understands `sandbox exec [--cwd DIR] [--env NAME=VALUE]... [--pty | --no-pty] [--lang en|zh] SANDBOX -- CMD...`, and nothing more.
#include "command-line.h"

#include <string.h>

#include "text.h"

#define ID_LENGTH 27u

static bool is_hex(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
}

// `s-`, 12 hex digits, `-`, 12 hex digits.
static bool is_sandbox(const char *word) {
  if (strlen(word) != ID_LENGTH || word[0] != 's') return false;
  for (size_t at = 1; at < ID_LENGTH; at++) {
    const bool is_dash = at == 1 || at == 14;
    if (is_dash ? word[at] != '-' : !is_hex(word[at])) return false;
  }
  return true;
}

static bool is_name_letter(char letter, bool is_first) {
  if (letter == '_' || (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z')) return true;
  return !is_first && letter >= '0' && letter <= '9';
}

static bool is_assignment(const char *word) {
  size_t length = 0;
  while (is_name_letter(word[length], length == 0)) length++;
  return length > 0 && word[length] == '=';
}

// The value of `--NAME=VALUE` or of `--NAME VALUE`; moves *at to the last word it took. NULL: no such option, or no value.
static const char *value_of(const char *name, char **words, size_t count, size_t *at) {
  const char *word = words[*at];
  const size_t length = strlen(name);
  if (strncmp(word, name, length) != 0) return NULL;
  if (word[length] == '=') return word[length + 1] == '\0' ? NULL : word + length + 1;
  if (word[length] != '\0' || *at + 1 >= count) return NULL;
  const char *value = words[*at + 1];
  if (value[0] == '\0' || value[0] == '-') return NULL;
  *at += 1;
  return value;
}

// Once, and only where nothing was given yet.
static bool set_once(const char **place, const char *value) {
  if (*place != NULL) return false;
  *place = value;
  return true;
}

static bool read_option(struct command_line *line, char **words, size_t count, size_t *at) {
  const char *word = words[*at];
  const bool is_yes = strcmp(word, "--pty") == 0;
  if (is_yes || strcmp(word, "--no-pty") == 0) {
    const enum terminal_wish wish = is_yes ? TERMINAL_YES : TERMINAL_NO;
    if (line->terminal != TERMINAL_AS_OURS && line->terminal != wish) return false;
    line->terminal = wish;
    return true;
  }
  const char *value = value_of("--cwd", words, count, at);
  if (value != NULL) return set_once(&line->directory, value);
  value = value_of("--lang", words, count, at);
  if (value != NULL) return (strcmp(value, "en") == 0 || strcmp(value, "zh") == 0) && set_once(&line->language, value);
  value = value_of("--env", words, count, at);
  return value != NULL && is_assignment(value);
}

static bool read_head(struct command_line *line) {
  for (size_t at = 0; at < line->head_count; at++) {
    const char *word = line->head[at];
    if (!text_is_utf8(word)) return false;
    const bool is_read = word[0] == '-' ? read_option(line, line->head, line->head_count, &at) : is_sandbox(word) && set_once(&line->sandbox, word);
    if (!is_read) return false;
  }
  return line->sandbox != NULL;
}

bool command_line_read(char **words, size_t count, struct command_line *line) {
  *line = (struct command_line){0};
  if (count < 2 || strcmp(words[0], "sandbox") != 0 || strcmp(words[1], "exec") != 0) return false;
  size_t separator = 2;
  while (separator < count && strcmp(words[separator], "--") != 0) separator++;
  if (separator + 1 >= count || words[separator + 1][0] == '\0') return false;
  line->head = words + 2;
  line->head_count = separator - 2;
  line->arguments = words + separator + 1;
  line->argument_count = count - separator - 1;
  return read_head(line);
}

void command_line_variables(const struct command_line *line, void (*take)(void *to, const char *assignment), void *to) {
  for (size_t at = 0; at < line->head_count; at++) {
    const char *value = value_of("--env", line->head, line->head_count, &at);
    if (value != NULL) take(to, value);
  }
}
