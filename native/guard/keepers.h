// The guard's keepers: one for each command, and one that waits for the next.
#ifndef GLOVEBOX_KEEPERS_H
#define GLOVEBOX_KEEPERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "errand.h"
#include "wall.h"

struct keepers {
  pid_t waiting; // 0: none
  int socket;    // to the one that waits
  bool is_due;   // a command came since one was made to wait
  pid_t leaving[GB_SIZE_STREAMS_MAX + 1]; // have told that their tree is gone, or were sent away, and are not reaped yet
  size_t leaving_count;
};

struct keeper_end {
  pid_t pid;
  int socket; // packets from and to the keeper
};

// Gives the errand to the one that waits, or to a new one; before it, those that leave have left: the limits count on one for each command. 0, or an errno.
int keepers_start(struct keepers *keepers, const struct errand *errand, const struct wall *wall, int proc, struct keeper_end *end);
// Makes one that waits, when it is due and none is leaving. Only while there is no command: so no process of a command ever lives beside it.
void keepers_refill(struct keepers *keepers, const struct wall *wall, int proc);
// No command came for a while: the one that waits need not be there, and the next command has its own made.
void keepers_rest(struct keepers *keepers);
// The tree of a command is gone, and its keeper about to be.
void keepers_leave(struct keepers *keepers, pid_t pid);
// A child of the guard was reaped, and keeps no command any more.
void keepers_lose(struct keepers *keepers, pid_t pid);

#endif
