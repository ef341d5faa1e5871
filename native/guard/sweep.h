// Ends every descendant of the calling process that exists now.
#ifndef GLOVEBOX_SWEEP_H
#define GLOVEBOX_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

// Under gVisor /proc shows no children and nobody is a subreaper: what loses its parent goes to the guard, and would belong to no command. There the tree of
// a command is what descends from its keeper, and what has its mark: a limit that all inherit and the filter keeps as it is. RLIMIT_RSS, which limits nothing.
#define SWEEP_MARK 5u

// Marks the calling process and all that it will start. False, with errno, where it cannot.
bool sweep_mark(uint32_t stream);

// True while some process other than the caller has its mark.
bool sweep_finds_marked(int proc);

// True when `proc` is the /proc of the calling process's own pid namespace, and shows children (CONFIG_PROC_CHILDREN) where they are looked for.
bool sweep_sees_own_namespace(int proc);

// Stops all descendants (a stopped process makes no more of them), then kills them. A child born in between is found by the next call.
void sweep_descendants(int proc);

#endif
