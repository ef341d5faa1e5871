// How one mediated call ends, and how a refusal is told to the host.
#ifndef GLOVEBOX_ANSWER_H
#define GLOVEBOX_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "caller.h"
#include "place.h"

enum answer_kind {
  ANSWER_CONTINUE, // by the kernel, behind the caller's own Landlock domain
  ANSWER_ERROR,    // error; 0 is success, and value its result
  ANSWER_DESCRIPTOR,
  ANSWER_LATER, // another thread answers
};

struct answer {
  enum answer_kind kind;
  int error, descriptor;
  long value;
  int number; // that the descriptor gets; 0: the lowest free one
  bool close_on_exec;
  bool is_pointer; // of a pointer file
};

static inline struct answer answer_continue(void) {
  return (struct answer){.kind = ANSWER_CONTINUE};
}

static inline struct answer answer_error(int error) {
  return (struct answer){.kind = ANSWER_ERROR, .error = error};
}

// 0 or -1 of a system call just made.
struct answer answer_result(long result);
// EACCES to the caller, a report to the host.
struct answer answer_refusal(const struct place *place, uint32_t call, uint32_t rule);
struct answer answer_judgement(const struct place *place, uint32_t call, enum place_kind kind);

void answer_send(const struct caller *caller, const struct answer *answer);

#endif
