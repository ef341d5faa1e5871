// Where this user's broker listens, and what proves that a sandbox may be used.
#ifndef GLOVEBOX_CLIENT_PLACE_H
#define GLOVEBOX_CLIENT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "../door-protocol.h"

struct place {
  char socket[PATH_MAX];
  char keys[PATH_MAX];
};

// As src/broker/state-layout.ts has it. False where it takes more than a look at the environment and /etc/passwd.
bool place_find(struct place *place);

// False for a sandbox that has no token here.
bool place_token(const struct place *place, const char *sandbox, uint8_t token[DOOR_SIZE_TOKEN_BYTES]);

#endif
