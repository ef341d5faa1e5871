// Whose turn it is to take the next call. One thread at a time waits at the listener, since a call wakes all that do. It keeps its turn while it
// answers: most calls are over before another thread would be awake. It passes it on when more calls have come, and before it waits itself; and who
// looks out passes it on for one that a call holds up unforeseen.
#ifndef GLOVEBOX_TURN_H
#define GLOVEBOX_TURN_H

#include <stdbool.h>

// Before the first thread. False: errno says why.
bool turn_prepare(void);
// Waits until the turn is the calling thread's.
void turn_take(void);
// Its holder has got a call.
void turn_begin_call(void);
// Somebody else may take the next one. Nothing for a thread that does not hold the turn.
void turn_pass(void);
// Its holder goes without having got one.
void turn_leave(void);
// The call is answered. False: the turn is somebody else's by now.
bool turn_end_call(void);

// Readable when a call has come after a silence: turn_look_out() wants to be called then.
int turn_alarm(void);
// Rings, unless somebody looks.
void turn_wants_look(void);
// Takes the turn from a call that has held it since the last look. Milliseconds until the next look, or -1: when the alarm comes. `anyway`: look again
// even if no call comes.
int turn_look_out(bool anyway);

#endif
