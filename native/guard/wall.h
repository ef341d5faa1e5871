// The inner wall of one command, raised by the child itself just before it executes.
#ifndef GLOVEBOX_WALL_H
#define GLOVEBOX_WALL_H

#include <stdint.h>
#include <sys/resource.h>

#include "../protocol/message.h"
#include "filter.h"

struct wall {
  uint32_t layers; // GB_LAYER_*; a product build always has all of them
  int ruleset;     // the commands' Landlock ruleset, or -1 when the test build leaves it out
  struct filter_choice choice;
  const struct bpf_program *filter; // the keeper's, made of the choice and the command's limits
  int handover; // where the child sends its filter's listener, or -1 when nothing is mediated
  struct rlimit nofile; // as it was before the guard raised its own
};

struct wall_failure {
  uint32_t wall; // GB_WALL_*; 0: every layer stands
  uint32_t error;
};

// Closes every descriptor from 3 on, then: no_new_privs, capabilities, limits, Landlock, seccomp, and the limit of open files. Returns at the first layer that fails.
struct wall_failure wall_raise(const struct wall *wall, const struct message_exec *request);

// 0, or an errno. Also used by the guard for itself.
int drop_capabilities(void);

#endif
