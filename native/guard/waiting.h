// Work that outlasts the call that began it: pointer files whose text is still to come, and pipes opened before their reader.
#ifndef GLOVEBOX_WAITING_H
#define GLOVEBOX_WAITING_H

#include "answer.h"

// Gives the caller a pipe to write into; what comes is checked and put in place once every writer has closed it. Takes over place->parent.
struct answer pointer_open(struct place *place, mode_t mode, bool replace);
// The answer with the writing end is sent, and the end closed here.
void pointer_delivered(void);
// Puts in place what is complete. Called before each mediated call, so that a program finds what it wrote.
void pointer_settle(void);

// Answers once the pipe `node` (O_PATH, taken over) has a reader.
struct answer fifo_open(const struct caller *caller, int node, uint32_t flags);

#endif
