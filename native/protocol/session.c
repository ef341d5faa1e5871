// Accepts or refuses one message after another. A message for a stream that has just ended is late: both ends close at their own time.
#include "session.h"

static struct slot *find_slot(struct session *session, uint32_t stream) {
  for (uint32_t index = 0; index < GB_SIZE_STREAMS_MAX; index++) {
    if (session->slots[index].stream == stream) return &session->slots[index];
  }
  return NULL;
}

static enum session_verdict accept_setup(struct session *session, const struct message *message) {
  if (session->phase == PHASE_HELLO) {
    if (message->type != GB_TYPE_HELLO || message->hello.version != GB_SIZE_VERSION) return SESSION_VIOLATION;
    if (message->hello.epoch != session->epoch) return SESSION_VIOLATION;
    session->phase = PHASE_RULES;
    return SESSION_ACT;
  }
  if (message->type == GB_TYPE_LANDLOCK_RULE) return SESSION_ACT;
  if (message->type == GB_TYPE_WRITE_ROOT) return session->roots++ < GB_SIZE_ROOTS_MAX ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_LISTED_NAME) return session->names++ < GB_SIZE_NAMES_MAX ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_LISTED_PATH) return session->paths++ < GB_SIZE_PATHS_MAX ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_TOUCH_LOG) return session->touch_logs++ == 0 ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_SHARED_LOCK) return session->shared_locks++ == 0 ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_READ_RULE) return session->read_rules++ < GB_SIZE_READ_RULES_MAX ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_READ_EXEMPT) return session->exempt++ < GB_SIZE_READ_RULES_MAX ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_STRICT) return session->strict++ == 0 ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type == GB_TYPE_NESTED) return session->nested++ == 0 ? SESSION_ACT : SESSION_VIOLATION;
  if (message->type != GB_TYPE_SEAL) return SESSION_VIOLATION;
  session->phase = PHASE_SEALED;
  return SESSION_ACT;
}

static struct slot *open_slot(struct session *session, const struct message *message) {
  if (message->type != GB_TYPE_ARGS || message->stream <= session->last_stream) return NULL;
  struct slot *slot = find_slot(session, 0);
  if (slot == NULL) return NULL;
  *slot = (struct slot){.stream = message->stream, .stdin_window = GB_SIZE_CREDIT, .output_window = {GB_SIZE_CREDIT, GB_SIZE_CREDIT}};
  session->last_stream = message->stream;
  session->open_count++;
  return slot;
}

static bool accept_credit(struct slot *slot, const struct message_credit *credit) {
  uint32_t *window = &slot->output_window[credit->channel == GB_CHANNEL_STDERR];
  if (credit->bytes > GB_SIZE_CREDIT - *window) return false; // more than was ever taken
  *window += credit->bytes;
  return true;
}

static bool accept_stdin(struct slot *slot, uint32_t length) {
  if (slot->stdin_ended || length > slot->stdin_window) return false;
  slot->stdin_window -= length;
  return true;
}

static bool accept_arguments(struct slot *slot, uint32_t length) {
  if (slot->executed || length > GB_SIZE_ARGUMENTS_MAX - slot->argument_bytes) return false;
  slot->argument_bytes += length;
  return true;
}

static bool accept_on_slot(struct slot *slot, const struct message *message) {
  if (message->type == GB_TYPE_ARGS) return accept_arguments(slot, message->data.length);
  if (message->type == GB_TYPE_EXEC) {
    if (slot->executed) return false;
    slot->executed = true;
    slot->pty = message->exec.pty;
    return true;
  }
  if (!slot->executed) return false;
  switch (message->type) {
    case GB_TYPE_STDIN:
      return accept_stdin(slot, message->data.length);
    case GB_TYPE_STDIN_END:
      if (slot->stdin_ended) return false;
      slot->stdin_ended = true;
      return true;
    case GB_TYPE_CREDIT:
      return accept_credit(slot, &message->credit);
    case GB_TYPE_RESIZE:
      return slot->pty;
    default:
      return message->type == GB_TYPE_SIGNAL || message->type == GB_TYPE_KILL_TREE;
  }
}

enum session_verdict session_accept(struct session *session, const struct message *message, struct slot **slot) {
  *slot = NULL;
  if (session->phase != PHASE_SEALED) return accept_setup(session, message);
  if (message->stream == 0) return message->type == GB_TYPE_SIGNAL ? SESSION_ACT : SESSION_VIOLATION;
  struct slot *found = find_slot(session, message->stream);
  if (found == NULL) {
    const bool opens = message->type == GB_TYPE_ARGS || message->type == GB_TYPE_EXEC;
    if (message->stream <= session->last_stream) return opens ? SESSION_VIOLATION : SESSION_LATE;
    found = open_slot(session, message);
    if (found == NULL) return SESSION_VIOLATION;
  }
  if (!accept_on_slot(found, message)) return SESSION_VIOLATION;
  *slot = found;
  return SESSION_ACT;
}

void session_close_slot(struct session *session, struct slot *slot) {
  *slot = (struct slot){0};
  session->open_count--;
}
