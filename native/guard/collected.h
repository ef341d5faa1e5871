// What is said of files that are handed back: frames on standard output, read by a host that believes none of them.
#ifndef GLOVEBOX_COLLECTED_H
#define GLOVEBOX_COLLECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

// Each returns false when nobody reads any more.

// `name` as whoever lists it has it: a name of its directory, or a path.
bool collected_entry(const char *name, const struct stat *found);
// The first `length` bytes of an open file, and whether that was all of it.
bool collected_content(int file, uint64_t length);
// It was not read, and why.
bool collected_unread(uint32_t why);
// The last frame: how many there were in all, and whether all were looked at.
bool collected_end(uint64_t total, bool is_whole);

bool write_whole(int to, const void *bytes, size_t length);

#endif
