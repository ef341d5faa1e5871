// From root to the allocated uid, for good.
#ifndef GLOVEBOX_IDENTITY_H
#define GLOVEBOX_IDENTITY_H

#include <sys/types.h>

// 0, or the status of a failure that is already reported. `parent` is who must still be there afterwards.
int identity_become(uid_t allocated, pid_t parent);

#endif
