// Places in files beyond the length that the command's limit allows. The kernel refuses them with EFBIG; a program that ignores SIGXFSZ goes on, so that the limit has to be told.
#ifndef GLOVEBOX_BEYOND_H
#define GLOVEBOX_BEYOND_H

#include "answer.h"

enum beyond {
  BEYOND_LENGTH, // ftruncate: this long
  BEYOND_WRITE,  // pwrite: from here
  BEYOND_SEEK,   // lseek: to here
};

// Tells the host when the kernel would refuse, or, after a seek past the end, every write would be. The kernel goes on in every case.
struct answer mediate_beyond(const struct caller *caller, enum beyond beyond, int descriptor, uint64_t place);
// Tells it of a length that the mediator itself refuses.
void beyond_report(uint64_t length);

#endif
