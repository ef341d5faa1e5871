// Into the sandbox's mount namespace, with as little as a mask needs.
#ifndef GLOVEBOX_MASKER_JOIN_H
#define GLOVEBOX_MASKER_JOIN_H

#include <sys/types.h>

// `own_process`: /proc/self of the host. A descriptor of the sandbox's first process, readable when that has ended; -1 and errno. Gives up nothing by itself.
int join_sandbox(pid_t pid, int own_process);

#endif
