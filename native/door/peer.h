// Who stands at the other end of a unix connection.
#ifndef GLOVEBOX_DOOR_PEER_H
#define GLOVEBOX_DOOR_PEER_H

#include <stdbool.h>

// True for a process of our uid in our user and pid namespace that is still there. Whatever cannot be seen is not ours.
bool peer_is_ours(int connection);

#endif
