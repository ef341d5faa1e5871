// The words of `sandbox exec`. Pure.
#ifndef GLOVEBOX_CLIENT_COMMAND_LINE_H
#define GLOVEBOX_CLIENT_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum terminal_wish { TERMINAL_AS_OURS, TERMINAL_YES, TERMINAL_NO };

struct command_line {
  const char *sandbox;
  const char *directory; // NULL: the current one
  const char *language;  // NULL: by the locale
  enum terminal_wish terminal;
  char **arguments; // ended by NULL; at least one
  size_t argument_count;
  char **head; // our own words, among which the values of --env are
  size_t head_count;
};

// False for everything that is not plainly understood: then somebody else has to look at it, and say what is wrong.
bool command_line_read(char **words, size_t count, struct command_line *line);

// Calls `take` for each value of --env, in order.
void command_line_variables(const struct command_line *line, void (*take)(void *to, const char *assignment), void *to);

#endif
