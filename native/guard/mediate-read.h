// Opens that only read, in strict mode.
#ifndef GLOVEBOX_MEDIATE_READ_H
#define GLOVEBOX_MEDIATE_READ_H

#include "mediate.h"

// Flags of an open that can change nothing, not even the names of a directory.
bool only_reads(uint32_t flags);
// For an open that may also make a file, where no write root is.
struct answer mediate_create(const struct caller *caller, const struct open_request *request);
struct answer mediate_read(const struct caller *caller, const struct open_request *request);

#endif
