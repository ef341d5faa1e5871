// What may not be read, whenever it appears: the rules of `filesystem.strict`, as machines over the names of a path.
#ifndef GLOVEBOX_READ_RULES_H
#define GLOVEBOX_READ_RULES_H

#include <stdbool.h>

#include "../protocol/message.h"

// Each returns 0, or an errno.
int read_rules_add(const struct message_read_rule *rule);
// A path that no glob denies.
int read_rules_exempt(const char *path);
void read_rules_begin_strict(void);

// Whether opens that only read are mediated at all.
bool read_rules_are_strict(void);
// Whether a rule denies a canonical path. `folds`: the directory that holds the last name takes names for the same that differ in case.
bool read_rules_deny(const char *path, bool folds);
// Whether what is denied at or below `from` would also be denied at or below `to`.
bool read_rules_keep(const char *from, const char *to, bool folds);

#endif
