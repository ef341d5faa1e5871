// The process that becomes the command.
#ifndef GLOVEBOX_CHILD_H
#define GLOVEBOX_CHILD_H

#include "wall.h"

struct child_plan {
  char *const *argv;
  char *const *environment;
  const char *cwd;
  int streams[3]; // become 0, 1 and 2
  struct message_exec request;
  struct wall wall;
};

// Why nothing was executed; all zero once it was. Written by the child into memory that it shares with its parent until then: volatile,
// because the compiler sees no writer on the parent's side of a vfork.
struct child_failure {
  uint32_t stage; // GB_STAGE_*
  struct wall_failure wall;
  uint32_t error;
};

// Runs in the child of a vfork: never returns, and leaves the parent's data alone except *failure.
_Noreturn void child_run(const struct child_plan *plan, volatile struct child_failure *failure);

#endif
