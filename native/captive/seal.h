// What is left of the program once everything is built: it holds no capability, opens nothing, and only tells what the kernel's log says.
#ifndef GLOVEBOX_CAPTIVE_SEAL_H
#define GLOVEBOX_CAPTIVE_SEAL_H

// No core and no capability, and only the calls that watching needs: another ends the program, and with it the sandbox. 0 or errno.
int seal(void);

#endif
