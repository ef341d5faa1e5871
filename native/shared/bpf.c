// One function per instruction that the filter uses.
#include "bpf.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filters know x86_64 and aarch64"
#endif

#define ARGUMENT_OFFSET(index) ((uint32_t)(offsetof(struct seccomp_data, args) + 8u * (index))) // little-endian: the low half comes first

void bpf_emit(struct bpf_program *program, uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t operand) {
  if (program->length == BPF_PROGRAM_MAX) {
    program->overflowed = true;
    return;
  }
  program->code[program->length++] = (struct sock_filter){code, if_true, if_false, operand};
}

static void load(struct bpf_program *program, uint32_t offset) {
  bpf_emit(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

void bpf_load_number(struct bpf_program *program) {
  load(program, (uint32_t)offsetof(struct seccomp_data, nr));
}

void bpf_load_argument(struct bpf_program *program, unsigned argument) {
  load(program, ARGUMENT_OFFSET(argument));
}

void bpf_load_argument_high(struct bpf_program *program, unsigned argument) {
  load(program, ARGUMENT_OFFSET(argument) + 4u);
}

void bpf_skip_unless_equal(struct bpf_program *program, uint32_t value, uint8_t skip) {
  bpf_emit(program, BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value);
}

void bpf_skip_unless_any_bit(struct bpf_program *program, uint32_t bits, uint8_t skip) {
  bpf_emit(program, BPF_JMP | BPF_JSET | BPF_K, 0, skip, bits);
}

static void give_back(struct bpf_program *program, uint32_t answer) {
  bpf_emit(program, BPF_RET | BPF_K, 0, 0, answer);
}

void bpf_refuse(struct bpf_program *program, int error) {
  give_back(program, SECCOMP_RET_ERRNO | (uint32_t)error);
}

void bpf_allow(struct bpf_program *program) {
  give_back(program, SECCOMP_RET_ALLOW);
}

void bpf_notify(struct bpf_program *program) {
  give_back(program, SECCOMP_RET_USER_NOTIF);
}

void bpf_kill(struct bpf_program *program) {
  give_back(program, SECCOMP_RET_KILL_PROCESS);
}

void bpf_begin(struct bpf_program *program) {
  load(program, (uint32_t)offsetof(struct seccomp_data, arch));
  bpf_emit(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCHITECTURE);
  bpf_kill(program);
  bpf_load_number(program);
}

void bpf_allow_calls(struct bpf_program *program, const uint32_t *numbers, size_t count) {
  for (size_t index = 0; index < count; index++) {
    bpf_skip_unless_equal(program, numbers[index], 1);
    bpf_allow(program);
  }
}
