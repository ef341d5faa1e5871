// What becomes of every packet that leaves the application's network: the rules themselves.
#ifndef GLOVEBOX_CAPTIVE_CAPTURE_H
#define GLOVEBOX_CAPTIVE_CAPTURE_H

#include <stdint.h>

// Where the gate listens, for TCP and for datagrams. In the form with one network no program inside can have it.
#define GATE_PORT 1
#define LOG_GROUP 1
// Of a refused packet: its headers.
#define LOG_BYTES 128u

// Each answers 0 or an errno, and concerns the network that the caller is in.

// The gate's network: TCP and questions for names arrive at the gate's port, all else is refused.
int capture_in_gate(void);
// The application's: what would be refused there is refused here, where the sender learns of it. A courtesy, not the wall.
int refuse_in_application(void);
// Both in one.
int capture_alone(void);

#endif
