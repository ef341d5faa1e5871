// The guard's life as PID 1.
#ifndef GLOVEBOX_SERVE_H
#define GLOVEBOX_SERVE_H

#include <stdint.h>

// Serves the channel on descriptor 3 until the host closes it. Returns the exit status; the caller ends every process.
int guard_serve(uint32_t layers);

#endif
