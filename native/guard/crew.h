// The threads that take calls from the listener and answer them.
#ifndef GLOVEBOX_CREW_H
#define GLOVEBOX_CREW_H

#include <stdbool.h>

#define CREW_WAITS_MAX 64 // threads that may wait on behalf of a caller

// Makes them, before the command is there: it may use up the processes that its limit leaves. False: there are none for them.
bool crew_enlist(void);
// Lets them begin.
void crew_begin(int listener);
// For the thread that has nothing else to do: called once, when turn_alarm() is readable, and when the milliseconds are over that it gives (-1: never).
int crew_look_out(void);

bool crew_start_thread(void *(*run)(void *), void *argument);
// Around what may hold the calling thread for long: another one takes its place. False: too many wait already.
bool crew_begin_wait(void);
void crew_end_wait(void);

#endif
