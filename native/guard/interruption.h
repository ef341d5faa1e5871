// Waiting on behalf of a caller that a signal may interrupt.
#ifndef GLOVEBOX_INTERRUPTION_H
#define GLOVEBOX_INTERRUPTION_H

#include <stdbool.h>
#include <sys/socket.h>

#include "caller.h"

// For the caller only: its kernel restarts the call after the signal, or makes it EINTR.
#define RESTART_AFTER_SIGNAL 512

// Once, before the first wait.
bool interruption_prepare(void);
// Lets those look up who have waited since the last time. False: nobody waits.
bool interruption_tick(void);
bool interruption_waits(void);
// A signal waits for the caller, or it is gone.
bool caller_is_interrupted(const struct caller *caller);
// open(2) and connect(2) that end when the caller is interrupted. 0 or an errno, or RESTART_AFTER_SIGNAL.
int open_interruptibly(const struct caller *caller, const char *name, int flags, int *fd);
int connect_interruptibly(const struct caller *caller, int socket, const struct sockaddr *address, socklen_t length);

#endif
