// Whether one git configuration may replace another. Pure, over the bytes of both files.
#ifndef GLOVEBOX_GIT_CONFIG_H
#define GLOVEBOX_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct git_config_text {
  const char *at;
  size_t length;
};

// Asked about the value of core.worktree: whether the directory lies in a write root.
struct git_config_reach {
  bool (*reaches)(const void *context, const char *path);
  const void *context;
};

// True when the two differ in keys that git only shows or uses as data (branch.*.remote, user.name, remote.*.url, ...). Every other entry must be
// the same, in the same order. What this parser does not understand is refused.
bool git_config_admits(struct git_config_text old, struct git_config_text new, struct git_config_reach reach);

#endif
