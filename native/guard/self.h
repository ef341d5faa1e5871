// What the guard does to itself before anything hostile runs beside it.
#ifndef GLOVEBOX_SELF_H
#define GLOVEBOX_SELF_H

#include <stdbool.h>

#include "command.h"

// Non-dumpable, no core, no new privileges, own keyring, all descriptors but the channel closed on exec, descriptor limit raised.
bool self_protect(struct guard *guard);

#endif
