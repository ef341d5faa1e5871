// The two Landlock domains: the session's (the guard itself) and the commands', built in the finished mount namespace.
#ifndef GLOVEBOX_LANDLOCK_H
#define GLOVEBOX_LANDLOCK_H

#include <stdint.h>

#include "../protocol/message.h"

// Bits of linux/landlock.h that others ask for.
#define LANDLOCK_READ_DIR (1ull << 3)
#define LANDLOCK_MAKE_REG (1ull << 8)
#define LANDLOCK_IOCTL_DEV (1ull << 15)

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

#endif
