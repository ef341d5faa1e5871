// The touch log: what lay at each name of a write root before its first change, written down before the change is made.
//
// The host gives one descriptor of a file that no command can open. docs/guard-protocol.md has the format.
#ifndef GLOVEBOX_TOUCH_H
#define GLOVEBOX_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#include "place.h"

// 0, or an errno. Call once, before the first command. Without it nothing is written down.
int touch_prepare(int descriptor, uint64_t file_bytes_max, uint64_t kept_bytes_max);
// The log's descriptor, which keepers keep; -1 without one.
int touch_descriptor(void);
// The command that this keeper's touches belong to.
void touch_begin(uint32_t command);

// Before a name is made, taken away or given another meaning. `loses`: the content of a regular file there may be gone afterwards.
void touch_place(const struct place *place, bool loses);
// As touch_place(), by what place_look() has found since the lock of names was taken; NULL: nothing.
void touch_seen(const struct place *place, const struct statx *seen, bool loses);
// Before a rename: both names, and when a directory moves, all that lies below. `seen`: what lies at `from`.
void touch_rename(const struct place *from, const struct statx *seen, const struct place *to, bool exchanges);
// A file that was made just now: its content was never there before.
void touch_made(const struct statx *made);

#endif
