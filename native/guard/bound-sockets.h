// The files that unix sockets of this sandbox were bound to by the mediator, for where the kernel's list of sockets cannot say it: it has 32 bits of
// an inode's number, and another device than stat() on btrfs and on some overlays.
#ifndef GLOVEBOX_BOUND_SOCKETS_H
#define GLOVEBOX_BOUND_SOCKETS_H

#include <stdbool.h>

// 0, or an errno. Call once, before the first command.
int bound_sockets_prepare(void);
// Right after a bind that made `name`, while nobody inside can put something else there.
void bound_sockets_add(int directory, const char *name);
// Whether the file that `file` is open at was made by one of the last binds. False also when its file system does not say when it was born.
bool bound_sockets_hold(int file);

#endif
