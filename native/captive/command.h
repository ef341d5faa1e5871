// The command that the captive network is for: started in the application's network, waited for to its end.
#ifndef GLOVEBOX_CAPTIVE_COMMAND_H
#define GLOVEBOX_CAPTIVE_COMMAND_H

#include <sys/types.h>

// It inherits every descriptor but those that close on exec, no capability, and dies with its parent. -1 with errno on failure.
pid_t command_start(char **argv);
// Kills and forgets it.
void command_stop(pid_t command);
// Its own status, or 128 + the signal, of what waitpid(2) said.
int command_status(int status);

#endif
