// A small assembler for seccomp's BPF: rows of a table in, instructions out.
#ifndef GLOVEBOX_BPF_H
#define GLOVEBOX_BPF_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_PROGRAM_MAX 1024

struct bpf_program {
  struct sock_filter code[BPF_PROGRAM_MAX];
  size_t length;
  bool overflowed;
  bool mediated; // there is a mediator: rows may notify
  bool strict;   // opens that only read, and changes of modes and the like, notify as well
  bool nested;   // user, pid and net namespaces may be made
  bool gvisor;   // for gVisor's kernel
  uint32_t numbers_from, numbers_to; // descriptors whose writes notify: from, and before
  uint64_t file_bytes;               // a longer file than the limit allows notifies
};

void bpf_emit(struct bpf_program *program, uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t operand);
// Kills what is not of this machine's own architecture; the number of the call is loaded then.
void bpf_begin(struct bpf_program *program);
// Allows each of `numbers`; the number of the call must be loaded.
void bpf_allow_calls(struct bpf_program *program, const uint32_t *numbers, size_t count);
void bpf_load_number(struct bpf_program *program);
// The low 32 bits of an argument: what the kernel itself looks at for modes, flags, families and ioctl numbers.
void bpf_load_argument(struct bpf_program *program, unsigned argument);
void bpf_load_argument_high(struct bpf_program *program, unsigned argument);
void bpf_skip_unless_equal(struct bpf_program *program, uint32_t value, uint8_t skip);
void bpf_skip_unless_any_bit(struct bpf_program *program, uint32_t bits, uint8_t skip);
void bpf_refuse(struct bpf_program *program, int error);
void bpf_allow(struct bpf_program *program);
void bpf_notify(struct bpf_program *program);
void bpf_kill(struct bpf_program *program);

#endif
