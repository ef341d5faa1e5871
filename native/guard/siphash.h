// SipHash-2-4: short keys for a table that hostile names must not be able to make collide.
#ifndef GLOVEBOX_SIPHASH_H
#define GLOVEBOX_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint64_t key[2], const void *bytes, size_t length);

#endif
