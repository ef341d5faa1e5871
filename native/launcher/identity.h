// From root to the allocated uid, for good. Each answers 0, or the status of a failure that is already reported.
#ifndef GLOVEBOX_IDENTITY_H
#define GLOVEBOX_IDENTITY_H

#include <sys/types.h>

// No process of the machine has the uid.
int identity_unused(uid_t allocated);

// `parent` is who must still be there afterwards.
int identity_become(uid_t allocated, pid_t parent);

#endif
