// The seccomp filter that every command gets.
#ifndef GLOVEBOX_FILTER_H
#define GLOVEBOX_FILTER_H

#include "../shared/bpf.h"

struct filter_choice {
  bool mediated; // with notifications for the calls that a mediator performs
  bool strict;   // also for opens that only read, and for owners, times and attributes
  bool nested;   // commands may make user, pid and net namespaces of their own, and change their root in them
  bool gvisor;   // of gVisor's kernel, where one limit marks the tree of a command and stays as it is (sweep.h)
  uint32_t numbers_from, numbers_to;
  uint64_t file_bytes;
};

// Assembles the table into *program. False when it does not fit.
bool filter_assemble(struct bpf_program *program, struct filter_choice choice);

// Puts the calling thread under the filter; it needs no_new_privs. 0, or an errno. *listener is where its
// notifications come out, or -1.
int filter_enter(const struct bpf_program *program, int *listener);

#endif
