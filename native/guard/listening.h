// Which unix sockets listen in this network namespace: the one question that tells a sandbox's own sockets from the host's.
#ifndef GLOVEBOX_LISTENING_H
#define GLOVEBOX_LISTENING_H

#include <stdbool.h>
#include <sys/stat.h>

// Whether a socket of this network namespace listens at the file that `status` is of, or one of this sandbox was bound to it, so that no other ever
// will be. False also when that cannot be told.
bool listens_here(int file, const struct stat *status);

#endif
