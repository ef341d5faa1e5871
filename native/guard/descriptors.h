// Which descriptors a process keeps.
#ifndef GLOVEBOX_DESCRIPTORS_H
#define GLOVEBOX_DESCRIPTORS_H

// The last number that there can be. Not ~0u: gVisor (20221219) takes that for -1, and refuses.
#define DESCRIPTOR_LAST 0x7fffffffu

// Closes every other; -1 among the kept is none. Sorts them.
void descriptors_close_but(int *kept, int count);

#endif
