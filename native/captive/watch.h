// The rest of the program's life: what is refused is told, and the command's end is its own.
#ifndef GLOVEBOX_CAPTIVE_WATCH_H
#define GLOVEBOX_CAPTIVE_WATCH_H

#include <sys/types.h>

struct watched {
  pid_t command;
  int children; // readable when one of ours has ended
  int channel;
  int logs[2]; // -1: none
};

// Only when the command has started, which must not inherit a blocked signal. A descriptor for `children`; -1 with errno.
int watch_open_children(void);

// Returns when the command has ended, with its status as waitpid(2) has it.
int watch(struct watched *watched);

#endif
