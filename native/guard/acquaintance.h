// Threads that have called before. What is kept of one is bound to that very thread by the kernel, so that nothing is taken for a later owner of its
// number's; what cannot be bound is not kept.
#ifndef GLOVEBOX_ACQUAINTANCE_H
#define GLOVEBOX_ACQUAINTANCE_H

#include <sys/types.h>

// A file of /proc/THREAD, or -1 and an errno.
int acquaintance_open(pid_t thread, const char *name, int flags);
// A copy of the thread's descriptor, or -1 and an errno.
int acquaintance_copy_descriptor(pid_t thread, int descriptor);

#endif
