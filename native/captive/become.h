// From root to a uid that owns nothing, for good.
#ifndef GLOVEBOX_CAPTIVE_BECOME_H
#define GLOVEBOX_CAPTIVE_BECOME_H

#include <sys/types.h>

// Only the watching is left to do. A command that was started as root does not end with it any more: whoever started the two sees the end of
// this one. 0 or errno.
int become_watcher(uid_t watcher);

#endif
