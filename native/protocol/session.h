// The order of messages: which one may come now, which is merely late, and which breaks the protocol. Pure bookkeeping over a struct.
#ifndef GLOVEBOX_SESSION_H
#define GLOVEBOX_SESSION_H

#include "message.h"

enum session_phase { PHASE_HELLO, PHASE_RULES, PHASE_SEALED };

struct slot {
  uint32_t stream; // 0: free
  bool executed;   // EXEC has come
  bool stdin_ended;
  bool pty;
  uint32_t argument_bytes;
  uint32_t stdin_window;     // bytes the host may still send
  uint32_t output_window[2]; // bytes the guard may still send: stdout, stderr
};

struct session {
  enum session_phase phase;
  uint32_t epoch;
  uint32_t last_stream; // streams only go up, so an unknown lower one is late, never new
  uint32_t open_count;
  uint32_t roots, names, paths, touch_logs, shared_locks; // WRITE_ROOT, LISTED_NAME and LISTED_PATH frames so far
  uint32_t read_rules, exempt, strict, nested; // READ_RULE, READ_EXEMPT, STRICT and NESTED frames
  struct slot slots[GB_SIZE_STREAMS_MAX];
};

enum session_verdict { SESSION_ACT, SESSION_LATE, SESSION_VIOLATION };

// SESSION_ACT accounts for the message and gives the slot it belongs to (NULL for messages of no stream).
enum session_verdict session_accept(struct session *session, const struct message *message, struct slot **slot);

void session_close_slot(struct session *session, struct slot *slot);

#endif
