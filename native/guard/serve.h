// The guard's life as PID 1.
#ifndef GLOVEBOX_SERVE_H
#define GLOVEBOX_SERVE_H

#include <stdint.h>

// Serves the channel on descriptor 3 until the host closes it. Returns the exit status; the caller ends every process.
int guard_serve(uint32_t layers);

// The form for gVisor, whose kernel has neither Landlock nor seccomp notifications and hands down the three streams alone: without these two layers, with
// the channel on descriptor 0. Where the kernel has Landlock it serves nobody: on Linux this form would be a wall left out.
int guard_serve_gvisor(uint32_t layers);

#endif
