// One layout, from its first operation until this process is the command that it names.
#ifndef GLOVEBOX_LAUNCH_H
#define GLOVEBOX_LAUNCH_H

#include <sys/types.h>

// Reads the layout from standard input. `parent` is who must still be there when the command starts. Returns the status of what failed.
int launch(pid_t parent);

#endif
