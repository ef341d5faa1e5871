// Starts a command under its keeper and turns what the keeper reports into frames.
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../cleanup.h"
#include "../protocol/bytes.h"
#include "errand.h"
#include "keeper.h"
#include "keepers.h"
#include "streams.h"

bool command_collect(struct command *command, struct slot *slot, const struct message_bytes *part) {
  if (command->slot == NULL) *command = (struct command){.slot = slot, .socket = -1, .input = -1, .output = {-1, -1}};
  const size_t before = slot->argument_bytes - part->length; // the session has counted this part already
  char *grown = realloc(command->arguments, slot->argument_bytes);
  if (grown == NULL) return false;
  memcpy(grown + before, part->at, part->length);
  command->arguments = grown;
  return true;
}

static bool send_pair(struct guard *guard, const struct command *command, uint8_t type, uint32_t first, uint32_t second) {
  uint8_t payload[8];
  write_u32(payload, first);
  write_u32(payload + 4, second);
  return channel_queue(&guard->channel, type, command->slot->stream, payload, sizeof payload);
}

static bool refuse_start(struct guard *guard, struct command *command, int error) {
  command->tree_gone = command->output_ended = true;
  const uint32_t stream = command->slot->stream;
  return send_pair(guard, command, GB_TYPE_NOT_STARTED, GB_STAGE_FORK, (uint32_t)error) &&
         channel_queue(&guard->channel, GB_TYPE_OUTPUT_END, stream, NULL, 0) && channel_queue(&guard->channel, GB_TYPE_TREE_GONE, stream, NULL, 0);
}

bool command_execute(struct guard *guard, struct command *command, const struct message_exec *request) {
  struct errand errand = {.stream = command->slot->stream, .request = *request, .arguments = command->arguments, .length = command->slot->argument_bytes};
  AUTO_FREE char **strings = errand_strings(&errand);
  if (strings == NULL) return false;
  struct streams streams;
  struct keeper_end end = {0, -1};
  int error = request->pty ? streams_open_terminal(&streams, request->rows, request->columns) : streams_open_pipes(&streams);
  if (error == 0) {
    memcpy(errand.streams, streams.child, sizeof errand.streams);
    error = keepers_start(&guard->keepers, &errand, &guard->wall, guard->proc, &end);
    if (error == 0) streams_close_child(&streams);
    else streams_close(&streams);
  }
  free(command->arguments);
  command->arguments = NULL;
  if (error != 0) return refuse_start(guard, command, error);
  command->keeper = end.pid;
  command->socket = end.socket;
  command->input = streams.input;
  command->output[0] = streams.output[0];
  command->output[1] = streams.output[1];
  command->is_terminal = request->pty;
  return true;
}

static bool send_exit(struct guard *guard, const struct command *command, const struct report *report) {
  uint8_t payload[32];
  write_u32(payload, report->first);
  write_u32(payload + 4, report->second);
  write_u64(payload + 8, report->user_us);
  write_u64(payload + 16, report->system_us);
  write_u64(payload + 24, report->resident_bytes);
  return channel_queue(&guard->channel, GB_TYPE_EXITED, command->slot->stream, payload, sizeof payload);
}

// The keeper leaves, and has nothing to wait for: no process can escape it any more.
static bool end_tree(struct guard *guard, struct command *command) {
  keepers_leave(&guard->keepers, command->keeper);
  command->keeper = 0;
  close_if_open(&command->socket);
  command->tree_gone = true;
  return channel_queue(&guard->channel, GB_TYPE_TREE_GONE, command->slot->stream, NULL, 0);
}

static bool forward(struct guard *guard, struct command *command, const struct report *report) {
  uint8_t number[4];
  uint8_t length[8];
  switch (report->kind) {
    case REPORT_STARTED:
      write_u32(number, report->first);
      return channel_queue(&guard->channel, GB_TYPE_STARTED, command->slot->stream, number, sizeof number);
    case REPORT_NOT_STARTED:
      return send_pair(guard, command, GB_TYPE_NOT_STARTED, report->first, report->second);
    case REPORT_WALL_MISSING:
      return send_pair(guard, command, GB_TYPE_WALL_MISSING, report->first, report->second);
    case REPORT_EXITED:
      return send_exit(guard, command, report);
    case REPORT_REFUSED_TOTAL:
      write_u32(number, report->first);
      return channel_queue(&guard->channel, GB_TYPE_REFUSED_TOTAL, command->slot->stream, number, sizeof number);
    case REPORT_FILE_LIMIT:
      write_u64(length, report->length);
      return channel_queue(&guard->channel, GB_TYPE_FILE_LIMIT, command->slot->stream, length, sizeof length);
    case REPORT_TREE_GONE:
      return end_tree(guard, command);
    case REPORT_REFUSED:
      return false;
  }
  return false;
}

static bool forward_refusal(struct guard *guard, const struct command *command, const struct refusal_report *report, size_t size) {
  uint8_t payload[12 + REFUSAL_PATH_BYTES];
  const size_t head = offsetof(struct refusal_report, path);
  if (size <= head) return false;
  if (!channel_has_room(&guard->channel)) return true; // the host is slow: this one is only counted
  write_u32(payload, report->call);
  write_u32(payload + 4, report->error);
  write_u32(payload + 8, report->rule);
  memcpy(payload + 12, report->path, size - head);
  return channel_queue(&guard->channel, GB_TYPE_REFUSED, command->slot->stream, payload, (uint32_t)(12 + size - head));
}

static bool forward_any(struct guard *guard, struct command *command, const union any_report *report, size_t size) {
  if (size >= sizeof report->kind && report->kind == REPORT_REFUSED) return forward_refusal(guard, command, &report->refusal, size);
  for (size_t index = 0; index < size / sizeof *report->reports; index++) {
    if (!forward(guard, command, &report->reports[index])) return false;
  }
  return size % sizeof *report->reports == 0;
}

bool command_read_reports(struct guard *guard, struct command *command) {
  while (command->socket >= 0) {
    union any_report report;
    const ssize_t got = recv(command->socket, &report, sizeof report, MSG_DONTWAIT);
    if (got < 0 && errno == ECONNRESET) continue; // it left with an order unread; what it reported before is still to come
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) close_if_open(&command->socket);
    else if (!forward_any(guard, command, &report, (size_t)got)) return false;
  }
  return true;
}

bool command_lose_keeper(struct guard *guard, struct command *command) {
  return command_read_reports(guard, command) && command->tree_gone;
}

enum order_result { ORDER_SENT, ORDER_NO_ROOM, ORDER_FAILED };

static enum order_result send_order(const struct command *command, struct order order) {
  if (command->socket < 0) return ORDER_SENT; // the keeper is gone, and so is the tree
  if (send(command->socket, &order, sizeof order, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof order || errno == EPIPE) return ORDER_SENT;
  return errno == EAGAIN ? ORDER_NO_ROOM : ORDER_FAILED;
}

bool command_signal(const struct command *command, uint32_t number) {
  return send_order(command, (struct order){.kind = ORDER_SIGNAL, .signal = (int)number}) != ORDER_FAILED;
}

bool command_kill_tree(struct command *command) {
  const enum order_result result = send_order(command, (struct order){.kind = ORDER_KILL_TREE});
  command->kill_due = result == ORDER_NO_ROOM;
  return result != ORDER_FAILED;
}

void command_resize(const struct command *command, struct message_size size) {
  if (command->is_terminal && command->output[0] >= 0) terminal_resize(command->output[0], size.rows, size.columns);
}
