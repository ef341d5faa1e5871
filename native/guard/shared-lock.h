// Two sandboxes may have one write root: what the one makes must not land in a directory that the other renames meanwhile. The lock is a file
// that all of them were given; the kernel takes it from a sandbox that dies.
#ifndef GLOVEBOX_SHARED_LOCK_H
#define GLOVEBOX_SHARED_LOCK_H

#include <stdbool.h>

// `descriptor`: open for reading and writing, of a file that no command can reach. Returns an errno, or 0. Without it nothing is shared.
int shared_lock_prepare(int descriptor);

// -1 without one.
int shared_lock_descriptor(void);

// Only while the lock within this sandbox is held, in the same way.
void shared_lock_take(bool exclusive);
void shared_lock_release(bool exclusive);

#endif
