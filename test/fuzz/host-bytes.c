// The fuzzer's way into the guard: any bytes as what the host sent, through the same parser, order check and argument splitter.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/protocol/arguments.h"
#include "../../native/protocol/session.h"

#define MUST(condition) \
  do { \
    if (!(condition)) abort(); \
  } while (0)

struct host {
  struct session session;
  char *arguments[GB_SIZE_STREAMS_MAX];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_accounts(const struct session *session) {
  uint32_t open = 0;
  for (size_t index = 0; index < GB_SIZE_STREAMS_MAX; index++) {
    const struct slot *slot = &session->slots[index];
    if (slot->stream == 0) continue;
    open++;
    MUST(slot->stream <= session->last_stream && slot->argument_bytes <= GB_SIZE_ARGUMENTS_MAX);
    MUST(slot->stdin_window <= GB_SIZE_CREDIT && slot->output_window[0] <= GB_SIZE_CREDIT && slot->output_window[1] <= GB_SIZE_CREDIT);
  }
  MUST(open == session->open_count);
}

static void collect(struct host *host, struct slot *slot, const struct message_bytes *part) {
  char **arguments = &host->arguments[slot - host->session.slots];
  char *grown = realloc(*arguments, slot->argument_bytes);
  MUST(grown != NULL);
  memcpy(grown + slot->argument_bytes - part->length, part->at, part->length);
  *arguments = grown;
}

static void close_slot(struct host *host, struct slot *slot) {
  char **arguments = &host->arguments[slot - host->session.slots];
  free(*arguments);
  *arguments = NULL;
  session_close_slot(&host->session, slot);
}

// What the guard does with EXEC, up to the fork.
static bool execute(struct host *host, struct slot *slot, const struct message_exec *exec) {
  const size_t count = 1 + (size_t)exec->argc + exec->envc;
  char **strings = calloc(count + 2, sizeof *strings);
  if (strings == NULL) return false;
  const bool whole = arguments_split(host->arguments[slot - host->session.slots], slot->argument_bytes, count, strings);
  size_t total = 0;
  for (size_t index = 0; whole && index < count; index++) total += strlen(strings[index]) + 1;
  MUST(!whole || total == slot->argument_bytes);
  free(strings);
  return whole;
}

static bool act(struct host *host, const struct frame *frame) {
  static struct message message;
  struct slot *slot;
  if (!message_parse(frame, &message)) return false;
  const enum session_verdict verdict = session_accept(&host->session, &message, &slot);
  if (verdict == SESSION_VIOLATION) return false;
  if (verdict == SESSION_LATE || slot == NULL) return true;
  if (message.type == GB_TYPE_ARGS) collect(host, slot, &message.data);
  if (message.type == GB_TYPE_EXEC && !execute(host, slot, &message.exec)) return false;
  if (message.type == GB_TYPE_STDIN && message.data.length % 2 == 0) slot->stdin_window += message.data.length; // taken at once
  if (message.type == GB_TYPE_RESIZE) slot->output_window[0] /= 2;                                            // some output went out
  if (message.type == GB_TYPE_KILL_TREE) close_slot(host, slot);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct host host;
  host.session = (struct session){.epoch = 1};
  struct frame frame;
  // Each frame is read from a block of exactly the bytes that have come, so that reading past them is caught.
  while (frame_next(message_longest, data, size, &frame) == FRAME_WHOLE) {
    if (!act(&host, &frame)) break;
    check_accounts(&host.session);
    data += GB_SIZE_HEADER + frame.length;
    size -= GB_SIZE_HEADER + frame.length;
  }
  for (size_t index = 0; index < GB_SIZE_STREAMS_MAX; index++) {
    free(host.arguments[index]);
    host.arguments[index] = NULL;
  }
  return 0;
}
