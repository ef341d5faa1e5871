// User namespaces that describe how owners appear on a staged mount.
#ifndef GLOVEBOX_OWNER_MAP_H
#define GLOVEBOX_OWNER_MAP_H

#include <sys/types.h>

// A descriptor of a user namespace in which what `owner` and `group` own on disk appears as owned by `allocated`, and what `allocated`
// makes is owned by them on disk; every other id is itself. It stays open for the next place of that owner, and closes on exec; `allocated`
// is the same in every call. -1 with errno on failure.
int owner_map_of(uid_t owner, gid_t group, uid_t allocated);

// Leaves no child behind.
void owner_maps_end(void);

#endif
