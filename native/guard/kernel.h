// Which kernel answers the guard's calls. Said by the host when it starts the guard, never found out: what is missing from Linux is a wall that is missing.
#ifndef GLOVEBOX_KERNEL_H
#define GLOVEBOX_KERNEL_H

#include <stdbool.h>

// Once, before any process is started.
void kernel_be_gvisor(void);
bool kernel_is_gvisor(void);

#endif
