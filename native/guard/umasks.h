// The umasks of the command's threads. Each is asked for before it changes, and the kernel, which is slow to say what it is, is asked once for each
// thread and change.
#ifndef GLOVEBOX_UMASKS_H
#define GLOVEBOX_UMASKS_H

#include "caller.h"

// The umask that the command begins with holds for all of it, until one of its threads sets another.
void umasks_begin(mode_t mask);
// The caller is about to set it.
void umasks_change(const struct caller *caller, uint64_t mask);
// False when the caller is gone.
bool umasks_of(const struct caller *caller, mode_t *mask);
// This thread has the caller's umask from here on. False when the caller is gone.
bool umasks_take(const struct caller *caller);

#endif
