// The two Landlock domains: the session's (the guard itself) and the commands', built in the finished mount namespace.
#ifndef GLOVEBOX_LANDLOCK_H
#define GLOVEBOX_LANDLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../protocol/message.h"

struct landlock {
  int abi; // 0: the kernel has none
  uint64_t handled, scopes;
  int session, command; // ruleset descriptors, or -1
};

// The kernel's ABI, 0 when there is none.
int landlock_abi(void);

// Each returns 0, or an errno.
int landlock_prepare(struct landlock *landlock);
int landlock_add_rule(const struct landlock *landlock, const struct message_rule *rule);
int landlock_add_own_rules(const struct landlock *landlock);
int landlock_enter(int ruleset);
// Whether a rule is about a place of the sandbox's own, where commands make files, or about its terminals. A write root gives those rights to the guard alone.
bool landlock_rule_is_private(const struct message_rule *rule);

#endif
