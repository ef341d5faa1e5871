// Turns the table into one filter: architecture first, then the other ABI, then the rows, searched by halves, and what has none is allowed. The kernel asks a
// new filter about every number there is (Linux 5.11, to remember what is always allowed): row after row that took longer than all else of a start.
#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sweep.h"
#include "syscall-table.h"

#define OTHER_ABI_BIT 0x40000000u // x32
#define WAIT_KILLABLE_RECV (1u << 5) // a call that the mediator has taken is interrupted by nothing but a kill
#define NO_CALL 0xffffffffu       // what a debugger writes to skip a call
#define TYPE_MASK 0xfu            // the rest of a socket's type are SOCK_NONBLOCK and SOCK_CLOEXEC
#define NESTS (CLONE_NEWUSER | CLONE_NEWPID | (uint32_t)CLONE_NEWNET)
#define ROWS_MAX 256u
#define TRIED_IN_TURN 8u // so few rows that halving them again gains nothing
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))

static void emit_entry(struct bpf_program *program) {
  bpf_begin(program);
  bpf_skip_unless_equal(program, NO_CALL, 1);
  bpf_allow(program);
  bpf_skip_unless_any_bit(program, OTHER_ABI_BIT, 1);
  bpf_refuse(program, EPERM);
  bpf_emit(program, BPF_JMP | BPF_JGT | BPF_K, 0, 1, SYSCALL_NEWEST);
  bpf_refuse(program, ENOSYS);
}

// Families: unix (stream, seqpacket), inet, inet6, netlink (route only). Everything else, vsock among it, is no family here.
static void emit_socket(struct bpf_program *program, const struct syscall_row *row) {
  bpf_load_argument(program, 0);
  bpf_skip_unless_equal(program, AF_INET, 1);
  bpf_allow(program);
  bpf_skip_unless_equal(program, AF_INET6, 1);
  bpf_allow(program);
  bpf_skip_unless_equal(program, AF_UNIX, 7);
  bpf_load_argument(program, 1);
  bpf_emit(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, TYPE_MASK);
  bpf_skip_unless_equal(program, SOCK_STREAM, 1);
  bpf_allow(program);
  bpf_skip_unless_equal(program, SOCK_SEQPACKET, 1);
  bpf_allow(program);
  bpf_refuse(program, ESOCKTNOSUPPORT);
  bpf_skip_unless_equal(program, AF_NETLINK, 3);
  bpf_load_argument(program, 2);
  bpf_skip_unless_equal(program, NETLINK_ROUTE, 1);
  bpf_allow(program);
  bpf_refuse(program, row->error);
}

static bool notifies(const struct bpf_program *program, const struct syscall_row *row) {
  return (row->mediation == ROW_NOTIFIES && program->mediated) || (row->mediation == ROW_NOTIFIES_STRICT && program->mediated && (program->strict || program->nested));
}

// Iptables, ip6tables, arptables and ebtables (their xx_BASE_CTL), which a net namespace of one's own would open: families and levels do not matter.
static void emit_netfilter(struct bpf_program *program, const struct syscall_row *row) {
  static const uint32_t bases[] = {64, 96, 128};
  bpf_load_argument(program, row->argument);
  for (size_t index = 0; index < sizeof bases / sizeof *bases; index++) {
    bpf_skip_unless_equal(program, bases[index], 1);
    bpf_refuse(program, row->error);
    bpf_skip_unless_equal(program, bases[index] + 1, 1);
    bpf_refuse(program, row->error);
  }
  bpf_allow(program);
}

static void emit_bits(struct bpf_program *program, const struct syscall_row *row) {
  const bool some = row->kind == ROW_NAMESPACES && program->nested;
  bpf_load_argument(program, row->argument);
  bpf_skip_unless_any_bit(program, some ? row->bits & ~NESTS : row->bits, 1);
  bpf_refuse(program, row->error);
}

static void emit_end(struct bpf_program *program, const struct syscall_row *row) {
  if (notifies(program, row)) bpf_notify(program);
  else bpf_allow(program);
}

static void emit_numbers(struct bpf_program *program, const struct syscall_row *row) {
  bpf_load_argument(program, row->argument);
  bpf_emit(program, BPF_JMP | BPF_JGE | BPF_K, 0, 2, program->numbers_from);
  bpf_emit(program, BPF_JMP | BPF_JGE | BPF_K, 1, 0, program->numbers_to);
  bpf_notify(program);
  bpf_allow(program);
}

// All 64 bits: the kernel looks at them too.
static void emit_beyond(struct bpf_program *program, const struct syscall_row *row) {
  const uint32_t high = (uint32_t)(program->file_bytes >> 32);
  if (row->kind == ROW_SEEK) {
    bpf_load_argument(program, 2);
    bpf_skip_unless_equal(program, SEEK_SET, 6);
  }
  bpf_load_argument_high(program, row->argument);
  bpf_emit(program, BPF_JMP | BPF_JGT | BPF_K, 3, 0, high);
  bpf_skip_unless_equal(program, high, 3);
  bpf_load_argument(program, row->argument);
  bpf_emit(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, (uint32_t)program->file_bytes);
  bpf_notify(program);
  bpf_allow(program);
}

static void emit_create_mode(struct bpf_program *program, const struct syscall_row *row) {
  bpf_load_argument(program, row->argument);
  bpf_skip_unless_any_bit(program, CREATES, 3); // else the mode is whatever the register holds
  bpf_load_argument(program, row->argument + 1);
  bpf_skip_unless_any_bit(program, row->bits, 1);
  bpf_refuse(program, row->error);
  bpf_load_argument(program, row->argument);
  bpf_skip_unless_any_bit(program, O_PATH, 1); // opens nothing, whatever else is asked for
  bpf_allow(program);
  if (program->strict) {
    emit_end(program, row);
    return;
  }
  bpf_skip_unless_any_bit(program, O_ACCMODE | O_CREAT | O_TRUNC, 1);
  emit_end(program, row);
  bpf_allow(program);
}

static void emit_ioctl(struct bpf_program *program, const struct syscall_row *row) {
  bpf_load_argument(program, row->argument);
  for (size_t index = 0; index < refused_ioctl_count; index++) {
    bpf_skip_unless_equal(program, refused_ioctls[index], 1);
    bpf_refuse(program, row->error);
  }
  bpf_allow(program);
}

static void emit_limit(struct bpf_program *program, unsigned argument, int error) {
  bpf_load_argument(program, argument);
  bpf_skip_unless_equal(program, SWEEP_MARK, 1);
  bpf_refuse(program, error);
}

static void emit_body(struct bpf_program *program, const struct syscall_row *row) {
  switch (row->kind) {
    case ROW_ALWAYS:
    case ROW_NESTED:
      bpf_refuse(program, row->error);
      return;
    case ROW_BITS:
    case ROW_NAMESPACES:
      emit_bits(program, row);
      emit_end(program, row);
      return;
    case ROW_NETFILTER:
      emit_netfilter(program, row);
      return;
    case ROW_MEDIATED:
      emit_end(program, row);
      return;
    case ROW_IOCTL:
      emit_ioctl(program, row);
      return;
    case ROW_GVISOR_LIMIT:
      emit_limit(program, row->argument, row->error);
      bpf_allow(program);
      return;
    case ROW_NONZERO:
      if (program->gvisor) emit_limit(program, row->argument + 1, row->error); // prlimit64, the only one of its kind
      bpf_load_argument(program, row->argument);
      bpf_emit(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
      bpf_refuse(program, row->error);
      bpf_allow(program);
      return;
    case ROW_UNLESS_BITS:
      bpf_load_argument(program, row->argument);
      bpf_skip_unless_any_bit(program, row->bits, 1);
      bpf_allow(program);
      bpf_refuse(program, row->error);
      return;
    case ROW_CREATE_MODE:
      emit_create_mode(program, row);
      return;
    case ROW_NUMBERS:
      emit_numbers(program, row);
      return;
    case ROW_BEYOND:
    case ROW_SEEK:
      emit_beyond(program, row);
      return;
    case ROW_SOCKET:
      emit_socket(program, row);
      return;
  }
}

// Allowed, as by having no row.
static bool is_left_out(const struct bpf_program *program, const struct syscall_row *row) {
  if (row->kind == ROW_NESTED) return program->nested;
  if (row->kind == ROW_GVISOR_LIMIT) return !program->gvisor;
  if (row->kind == ROW_NETFILTER) return !program->nested;
  return row->error == 0 && !notifies(program, row);
}

// A row: "if the number is another one, jump over the body". Every body ends in an answer.
static void emit_row(struct bpf_program *program, const struct syscall_row *row) {
  const size_t test = program->length;
  bpf_skip_unless_equal(program, row->number, 0);
  emit_body(program, row);
  if (!program->overflowed) program->code[test].jf = (uint8_t)(program->length - test - 1); // a body is shorter than 64 instructions
}

// Sorted by their numbers. @returns how many, or SIZE_MAX when there is no room
static size_t gather_rows(const struct bpf_program *program, const struct syscall_row *rows[ROWS_MAX]) {
  size_t count = 0;
  for (size_t index = 0; index < syscall_row_count; index++) {
    const struct syscall_row *row = &syscall_rows[index];
    if (is_left_out(program, row)) continue;
    if (count == ROWS_MAX) return SIZE_MAX;
    size_t at = count++;
    for (; at > 0 && rows[at - 1]->number > row->number; at--) rows[at] = rows[at - 1];
    rows[at] = row;
  }
  return count;
}

static void emit_rows(struct bpf_program *program, const struct syscall_row *const *rows, size_t count) {
  if (count <= TRIED_IN_TURN) {
    for (size_t index = 0; index < count; index++) emit_row(program, rows[index]);
    bpf_allow(program);
    return;
  }
  const size_t half = count / 2;
  bpf_emit(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, rows[half]->number);
  const size_t jump = program->length;
  bpf_emit(program, BPF_JMP | BPF_JA, 0, 0, 0); // to the upper half, which may be further away than a condition can jump
  emit_rows(program, rows, half);
  if (!program->overflowed) program->code[jump].k = (uint32_t)(program->length - jump - 1);
  emit_rows(program, rows + half, count - half);
}

bool filter_assemble(struct bpf_program *program, struct filter_choice choice) {
  program->mediated = choice.mediated;
  program->strict = choice.mediated && choice.strict;
  program->nested = choice.nested;
  program->gvisor = choice.gvisor;
  program->numbers_from = choice.numbers_from;
  program->numbers_to = choice.numbers_to;
  program->file_bytes = choice.file_bytes;
  program->length = 0;
  program->overflowed = false;
  emit_entry(program);
  const struct syscall_row *rows[ROWS_MAX];
  const size_t count = gather_rows(program, rows);
  if (count == SIZE_MAX) return false;
  emit_rows(program, rows, count);
  return !program->overflowed;
}

int filter_enter(const struct bpf_program *program, int *listener) {
  const struct sock_fprog fprog = {.len = (unsigned short)program->length, .filter = (struct sock_filter *)program->code};
  const unsigned flags = program->mediated ? SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE_RECV : 0;
  const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &fprog);
  if (result < 0) return errno;
  *listener = program->mediated ? (int)result : -1;
  return 0;
}
