// Who stands at the other end of a unix connection.
#ifndef GLOVEBOX_DOOR_PEER_H
#define GLOVEBOX_DOOR_PEER_H

#include <sys/types.h>

// The pid of a process of our uid in our user and pid namespace that is still there, else 0: whatever cannot be seen is not ours.
pid_t peer_of_ours(int connection);

#endif
