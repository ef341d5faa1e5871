// Ends every descendant of the calling process that exists now.
#ifndef GLOVEBOX_SWEEP_H
#define GLOVEBOX_SWEEP_H

#include <stdbool.h>

// True when `proc` is the /proc of the calling process's own pid namespace, and shows children (CONFIG_PROC_CHILDREN).
bool sweep_sees_own_namespace(int proc);

// Stops all descendants (a stopped process makes no more of them), then kills them. A child born in between is found by the next call.
void sweep_descendants(int proc);

#endif
