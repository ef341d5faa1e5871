// Which descriptors a process keeps.
#ifndef GLOVEBOX_DESCRIPTORS_H
#define GLOVEBOX_DESCRIPTORS_H

// Closes every other; -1 among the kept is none. Sorts them.
void descriptors_close_but(int *kept, int count);

#endif
