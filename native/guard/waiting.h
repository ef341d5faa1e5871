// Opens that outlast the call that began them: pipes opened before their reader.
#ifndef GLOVEBOX_WAITING_H
#define GLOVEBOX_WAITING_H

#include "answer.h"

// Answers once the pipe `node` (O_PATH, taken over) has a reader.
struct answer fifo_open(const struct caller *caller, int node, uint32_t flags);

#endif
