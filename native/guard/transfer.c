// Bytes of a command: stdin towards it, stdout and stderr from it, each held back by credit.
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../cleanup.h"
#include "../protocol/bytes.h"
#include "command.h"
#include "streams.h"

#define CREDIT_BATCH 32768u // give credit back in portions, or at once when nothing waits

static size_t waiting(const struct command *command) {
  return command->pending_tail - command->pending_head;
}

// Nobody waits for credit once the tree is gone; and with the end of the output told, too, the host knows the command no more.
static bool give_credit(struct guard *guard, struct command *command) {
  if (command->tree_gone) return true;
  const bool due = command->owed >= CREDIT_BATCH || (command->owed > 0 && waiting(command) == 0);
  if (!due || !channel_has_room(&guard->channel)) return true; // command_settle tries again
  uint8_t payload[8];
  write_u32(payload, GB_CHANNEL_STDIN);
  write_u32(payload + 4, command->owed);
  command->slot->stdin_window += command->owed;
  command->owed = 0;
  return channel_queue(&guard->channel, GB_TYPE_CREDIT, command->slot->stream, payload, sizeof payload);
}

static void consume(struct command *command, size_t count) {
  command->pending_head += count;
  command->owed += (uint32_t)count;
  if (waiting(command) == 0) command->pending_head = command->pending_tail = 0;
}

// The command will never read more: what waits and what still comes counts as taken.
static void drop_input(struct command *command) {
  consume(command, waiting(command));
  command->input_failed = true;
  close_if_open(&command->input);
}

// A terminal has no end of input but the byte that stands for it.
static void finish_input(struct command *command) {
  if (command->is_terminal && command->input >= 0) {
    const uint8_t end = terminal_end_byte(command->input);
    if (write(command->input, &end, 1) < 0 && errno == EAGAIN) return; // tried again when it can be written
  }
  drop_input(command);
}

void command_end_input(struct command *command) {
  if (waiting(command) == 0) finish_input(command);
}

bool command_take_input(struct guard *guard, struct command *command, const struct message_bytes *bytes) {
  if (command->input_failed) {
    command->owed += bytes->length;
    return give_credit(guard, command);
  }
  if (command->pending == NULL) command->pending = malloc(GB_SIZE_CREDIT);
  if (command->pending == NULL) return false;
  if (GB_SIZE_CREDIT - command->pending_tail < bytes->length) {
    memmove(command->pending, command->pending + command->pending_head, waiting(command));
    command->pending_tail -= command->pending_head;
    command->pending_head = 0;
  }
  memcpy(command->pending + command->pending_tail, bytes->at, bytes->length); // fits: the session held the window
  command->pending_tail += bytes->length;
  return command_write_input(guard, command);
}

bool command_write_input(struct guard *guard, struct command *command) {
  while (waiting(command) > 0 && command->input >= 0) {
    const ssize_t written = write(command->input, command->pending + command->pending_head, waiting(command));
    if (written >= 0) consume(command, (size_t)written);
    else if (errno == EAGAIN) break;
    else if (errno != EINTR) drop_input(command);
  }
  if (command->slot->stdin_ended && waiting(command) == 0 && command->input >= 0) finish_input(command);
  return give_credit(guard, command);
}

bool command_read_output(struct guard *guard, struct command *command, int which) {
  uint32_t *window = &command->slot->output_window[which];
  while (command->output[which] >= 0 && *window > 0 && channel_has_room(&guard->channel)) {
    const uint8_t type = which == 0 ? GB_TYPE_STDOUT : GB_TYPE_STDERR;
    const ssize_t got = channel_queue_from(&guard->channel, type, command->slot->stream, command->output[which], *window);
    if (got > 0) {
      *window -= (uint32_t)got;
      return true; // one portion, then the next command's turn
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && !command->tree_gone) return true;
    close_if_open(&command->output[which]); // end of file; EIO, a terminal's; or nothing left and nobody left to write more
  }
  return true;
}

bool command_settle(struct guard *guard, struct command *command) {
  if (!give_credit(guard, command)) return false;
  if (command->kill_due && !command_kill_tree(command)) return false;
  if (!command->output_ended && command->output[0] < 0 && command->output[1] < 0 && command->slot->executed) {
    command->output_ended = true;
    if (!channel_queue(&guard->channel, GB_TYPE_OUTPUT_END, command->slot->stream, NULL, 0)) return false;
  }
  if (!command->output_ended || !command->tree_gone) return true;
  close_if_open(&command->input);
  free(command->pending);
  free(command->arguments);
  session_close_slot(&guard->session, command->slot);
  *command = (struct command){.socket = -1, .input = -1, .output = {-1, -1}};
  return true;
}
