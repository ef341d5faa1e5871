// Pointer files of git, while a program has one open for writing: every write is judged and put in place by the mediator before it returns.
#ifndef GLOVEBOX_POINTER_H
#define GLOVEBOX_POINTER_H

#include "answer.h"

#define POINTERS_MAX 8u
#define POINTER_NUMBERS_END 1024u // select() knows no higher number

// The first of the POINTERS_MAX numbers that pointers get as descriptors: the filter hands writes to them to the mediator, and to no others.
uint32_t pointer_numbers(const struct message_exec *request, uint64_t open_files);
void pointer_begin(uint32_t first_number);

// Gives the caller a descriptor that only the mediator can write through: by another number, after a dup, the kernel says EBADF. Takes over place->parent.
struct answer pointer_open(const struct caller *caller, struct place *place, mode_t mode, bool replace);
// The answer with the descriptor is sent, and the descriptor closed here.
void pointer_delivered(void);

// A write to one of the numbers. EACCES when the file would not be an admissible pointer then. The kernel goes on with what is no pointer.
struct answer pointer_write(const struct caller *caller, int descriptor, uint64_t address, uint64_t length);
struct answer pointer_write_vector(const struct caller *caller, int descriptor, uint64_t vectors, uint64_t count);

// Reports what was opened and never written. Nobody has a descriptor any more.
void pointer_finish(void);

#endif
