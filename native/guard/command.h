// One command from its first ARGS frame to the moment when nothing of it is left.
#ifndef GLOVEBOX_COMMAND_H
#define GLOVEBOX_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "../protocol/session.h"
#include "channel.h"
#include "keepers.h"
#include "wall.h"

struct command {
  struct slot *slot; // NULL: free
  pid_t keeper;      // 0: none, or its tree is gone
  int socket;        // packets from and to the keeper
  int input, output[2];
  bool is_terminal;
  bool tree_gone, output_ended;
  bool input_failed; // the command closed its input: what still comes is dropped
  bool kill_due;     // the order to end the tree has not fitted into the keeper's socket yet
  char *arguments;   // the ARGS block until EXEC
  uint8_t *pending;  // stdin that the command has not taken yet
  size_t pending_head, pending_tail;
  uint32_t owed; // stdin credit not yet given back
};

struct guard {
  struct channel channel;
  struct session session;
  struct command commands[GB_SIZE_STREAMS_MAX]; // by index of the slot
  struct keepers keepers;
  struct wall wall;
  int proc;
};

// Each returns false when the guard cannot go on.
bool command_collect(struct command *command, struct slot *slot, const struct message_bytes *part);
bool command_execute(struct guard *guard, struct command *command, const struct message_exec *request);
bool command_take_input(struct guard *guard, struct command *command, const struct message_bytes *bytes);
bool command_write_input(struct guard *guard, struct command *command);
bool command_read_output(struct guard *guard, struct command *command, int which);
bool command_read_reports(struct guard *guard, struct command *command);
// The keeper was reaped: everything it will ever report is in the socket. Also false when that does not say that its tree is gone: processes may have escaped it.
bool command_lose_keeper(struct guard *guard, struct command *command);
// Sends the frames that became due, and frees the command when it is over.
bool command_settle(struct guard *guard, struct command *command);

void command_end_input(struct command *command);
void command_resize(const struct command *command, struct message_size size);
// A signal that the keeper has no room for is dropped, as signals are; the order to end the tree is not.
bool command_signal(const struct command *command, uint32_t number);
bool command_kill_tree(struct command *command);

#endif
