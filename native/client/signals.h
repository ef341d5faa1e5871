// Signals to this program, read one by one where they can be answered.
#ifndef GLOVEBOX_CLIENT_SIGNALS_H
#define GLOVEBOX_CLIENT_SIGNALS_H

// Holds them back from now on. @returns the descriptor that they are read from, or -1
int signals_hold(void);

// The next one; 0: none.
int signals_next(int fd);

// As it was before: for another program in our place.
void signals_release(void);

// All but SIGPIPE, which a write says too.
void signals_release_heard(void);

// Ends this process by the signal.
_Noreturn void signals_die(int number);

#endif
