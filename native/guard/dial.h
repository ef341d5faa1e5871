// `guard dial PORT`: a command like any other, behind all walls, that joins its stdin and stdout to a port of the sandbox's own loopback.
#ifndef GLOVEBOX_DIAL_H
#define GLOVEBOX_DIAL_H

// Returns the exit status: 0 when the connection has ended, 1 when nothing listens there.
int guard_dial(const char *port);

#endif
