// What a keeper is to start. It comes with the fork, or, to a keeper that waits, as one packet of its socket.
#ifndef GLOVEBOX_ERRAND_H
#define GLOVEBOX_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../protocol/message.h"

#define ERRAND_BYTES_MAX 65536u // of the arguments in a packet

struct errand {
  uint32_t stream; // the command's number
  struct message_exec request;
  char *arguments; // the ARGS block
  size_t length;
  int streams[3]; // become 0, 1 and 2
};

// Directory, argv, NULL, environment, NULL: to be freed. NULL: the block does not hold what was announced, or no memory.
char **errand_strings(const struct errand *errand);

// False: it does not fit, or nobody takes it.
bool errand_send(int socket, const struct errand *errand);
// Waits for it; *errand points into memory of its own. False: the guard has closed the socket, or what came is none.
bool errand_receive(int socket, struct errand *errand);

#endif
