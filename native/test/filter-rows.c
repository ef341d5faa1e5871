// The seccomp filter row by row: each row's refused call is refused with its errno, and its harmless neighbour passes. Every call runs in
// a child of its own. Prints one line per failure and `N passed, N failed`.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../guard/filter.h"
#include "../guard/sweep.h"
#include "../guard/syscall-table.h"

#define HIGH_HALF 0x100000000l // the kernel does not look at it; the filter must not either
#define SURVIVED 0
#define STEPS_MEAN_MAX 32u // one row after the other: 87
#define FILE_BYTES 0x180000001ul // both halves count

struct call {
  const char *name;
  long number, arguments[4];
};

static const struct {
  uint32_t from, to;
} numbers = {500, 508};

static struct bpf_program program;
static unsigned passed, failed;
static int listener;

static void count(bool right, const char *name, const char *what, int got) {
  if (right) passed++;
  else failed++;
  if (!right) printf("failed: %s: %s, got %d\n", name, what, got);
}

// The errno of a call behind the filter, SURVIVED, or minus the signal that ended it.
static int attempt(const struct call *call) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || filter_enter(&program, &listener) != 0) _exit(255);
    if (listener >= 0) close(listener); // a call that is notified then is ENOSYS: nobody is there to perform it
    const long *at = call->arguments;
    const long result = syscall(call->number, at[0], at[1], at[2], at[3], 0, 0);
    if (call->number == SYS_clone && result == 0) _exit(0); // the child of a child
    _exit(result < 0 ? errno : SURVIVED);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return 255;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static bool has_bits(const struct syscall_row *row) {
  return row->kind == ROW_BITS || row->kind == ROW_NAMESPACES;
}

// Arguments that make a row refuse.
static struct call refused_call(const struct syscall_row *row) {
  struct call call = {.name = row->name, .number = (long)row->number};
  if (has_bits(row)) call.arguments[row->argument] = (long)(row->bits & -row->bits) | HIGH_HALF;
  if (row->kind == ROW_IOCTL) call.arguments[row->argument] = (long)refused_ioctls[0] | HIGH_HALF;
  if (row->kind == ROW_NONZERO) call.arguments[row->argument] = 1;
  if (row->kind == ROW_CREATE_MODE) {
    call.arguments[row->argument] = O_CREAT;
    call.arguments[row->argument + 1] = 04755;
  }
  if (row->kind == ROW_SOCKET) {
    call.arguments[0] = AF_VSOCK;
    call.arguments[1] = SOCK_STREAM;
  }
  return call;
}

// What only gVisor's kernel needs is refused for it, and for Linux it is not.
static void test_gvisor(void) {
  static struct rlimit limit;
  const struct {
    struct call call;
    int under_gvisor, under_linux;
  } calls[] = {
      {{"setrlimit of the mark", SYS_setrlimit, {SWEEP_MARK, (long)&limit}}, EPERM, SURVIVED},
      {{"prlimit64 of the mark", SYS_prlimit64, {0, SWEEP_MARK, 0, (long)&limit}}, EPERM, SURVIVED},
      {{"prlimit64 of another limit", SYS_prlimit64, {0, RLIMIT_CORE, (long)&limit}}, SURVIVED, SURVIVED},
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    filter_assemble(&program, (struct filter_choice){.gvisor = true});
    const int under_gvisor = attempt(&calls[index].call);
    filter_assemble(&program, (struct filter_choice){0});
    count(under_gvisor == calls[index].under_gvisor, calls[index].call.name, "under gVisor", under_gvisor);
    const int under_linux = attempt(&calls[index].call);
    count(under_linux == calls[index].under_linux, calls[index].call.name, "must reach the kernel", under_linux);
  }
}

static void test_rows(void) {
  for (size_t index = 0; index < syscall_row_count; index++) {
    const struct syscall_row *row = &syscall_rows[index];
    if (row->error == 0 || row->kind == ROW_NETFILTER || row->kind == ROW_GVISOR_LIMIT) continue; // never refused here; see test_mediated
    const struct call call = refused_call(row);
    const int got = attempt(&call);
    count(got == row->error, row->name, "must be refused", got);
  }
}

// Each bit and value by itself, not just the lowest.
static void test_every_bit(void) {
  for (size_t index = 0; index < syscall_row_count; index++) {
    const struct syscall_row *row = &syscall_rows[index];
    if (!has_bits(row)) continue;
    for (uint32_t bits = row->bits; bits != 0; bits &= bits - 1) {
      struct call call = {.name = row->name, .number = (long)row->number};
      call.arguments[row->argument] = (long)(bits & -bits);
      const int got = attempt(&call);
      count(got == row->error, row->name, "must be refused for every bit", got);
    }
  }
}

static void test_refused(void) {
  const struct call calls[] = {
      {"ioctl TIOCSTI", SYS_ioctl, {0, TIOCSTI | HIGH_HALF}},
      {"openat O_TMPFILE setuid", SYS_openat, {AT_FDCWD, (long)"/tmp", O_TMPFILE | O_RDWR, 04600}},
      {"openat O_CREAT setgid", SYS_openat, {AT_FDCWD, (long)"/tmp/x", O_CREAT | O_RDWR, 02600}},
      {"clone NEWUSER", SYS_clone, {CLONE_NEWUSER | SIGCHLD}},
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    const int got = attempt(&calls[index]);
    count(got == EPERM, calls[index].name, "must be EPERM", got);
  }
  const struct call sockets[] = {
      {"socket unix dgram", SYS_socket, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC}},
      {"socket unix raw", SYS_socket, {AF_UNIX, SOCK_RAW}},
      {"socketpair unix dgram", SYS_socketpair, {AF_UNIX, SOCK_DGRAM}},
  };
  for (size_t index = 0; index < sizeof sockets / sizeof *sockets; index++) {
    const int got = attempt(&sockets[index]);
    count(got == ESOCKTNOSUPPORT, sockets[index].name, "must be ESOCKTNOSUPPORT", got);
  }
  const struct call audit = {"socket netlink audit", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_AUDIT}};
  const int got = attempt(&audit);
  count(got == EAFNOSUPPORT, audit.name, "must be EAFNOSUPPORT", got);
  const struct call newest = {"a call after the table's newest", (long)SYSCALL_NEWEST + 1, {0}};
  const int unknown = attempt(&newest);
  count(unknown == ENOSYS, newest.name, "must be ENOSYS", unknown);
}

// Harmless neighbours: the filter lets them reach the kernel, which has its own answer.
static void test_allowed(void) {
  static int pair[2];
  const struct {
    struct call call;
    int answer;
  } calls[] = {
      {{"getpid", SYS_getpid, {0}}, SURVIVED},
      {{"clone", SYS_clone, {SIGCHLD}}, SURVIVED},
      {{"unshare files", SYS_unshare, {CLONE_FILES}}, SURVIVED},
      {{"fchmod plain", SYS_fchmod, {-1, 01777}}, EBADF},
      {{"fchmodat plain", SYS_fchmodat, {-1, (long)"x", 0755}}, EBADF},
      {{"mkdirat sticky", SYS_mkdirat, {-1, (long)"x", 01777}}, EBADF},
      {{"openat create", SYS_openat, {-1, (long)"x", O_CREAT, 0644}}, EBADF},
      {{"openat with a stray mode", SYS_openat, {-1, (long)"x", O_RDONLY, 06755}}, EBADF},
      {{"openat directory with a stray mode", SYS_openat, {-1, (long)"x", O_DIRECTORY, 06755}}, EBADF},
      {{"prlimit64 of itself", SYS_prlimit64, {0}}, SURVIVED},
      {{"ioctl TIOCGWINSZ", SYS_ioctl, {-1, TIOCGWINSZ}}, EBADF},
      {{"socket inet", SYS_socket, {AF_INET, SOCK_STREAM}}, SURVIVED},
      {{"socket inet dgram", SYS_socket, {AF_INET, SOCK_DGRAM}}, SURVIVED},
      {{"socket inet6", SYS_socket, {AF_INET6, SOCK_STREAM}}, SURVIVED},
      {{"socket unix stream", SYS_socket, {AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK}}, SURVIVED},
      {{"socket unix seqpacket", SYS_socket, {AF_UNIX, SOCK_SEQPACKET}}, SURVIVED},
      {{"socket netlink route", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_ROUTE}}, SURVIVED},
      {{"socketpair unix stream", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, (long)pair}}, SURVIVED},
      {{"a number that a debugger skips", -1, {0}}, ENOSYS},
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    const int got = attempt(&calls[index].call);
    count(got == calls[index].answer, calls[index].call.name, "must reach the kernel", got);
  }
}

static void test_notified(void) {
  for (size_t index = 0; index < syscall_row_count; index++) {
    const struct syscall_row *row = &syscall_rows[index];
    if (row->mediation == ROW_GOES_ON || (row->mediation == ROW_NOTIFIES_STRICT && !program.strict)) continue;
    struct call call = {.name = row->name, .number = (long)row->number};
    if (row->kind == ROW_CREATE_MODE) call.arguments[row->argument] = O_WRONLY;
    if (row->kind == ROW_NUMBERS) call.arguments[row->argument] = numbers.to - 1;
    if (row->kind == ROW_BEYOND || row->kind == ROW_SEEK) call.arguments[row->argument] = (long)FILE_BYTES;
    const int got = attempt(&call);
    count(got == ENOSYS, row->name, "must be notified", got);
  }
}

// What is before and after the numbers, and short of the longest file, passes: the kernel finds no such descriptor.
static void test_unnotified(void) {
  const struct call calls[] = {
      {"write before the numbers", SYS_write, {numbers.from - 1}},
      {"write after the numbers", SYS_write, {numbers.to}},
      {"ftruncate short of the limit", SYS_ftruncate, {-1, (long)FILE_BYTES - 1}},
      {"pwrite64 short of the limit", SYS_pwrite64, {-1, 0, 0, (long)FILE_BYTES - 1}},
      {"lseek from the end", SYS_lseek, {-1, (long)FILE_BYTES, SEEK_END}},
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    const int got = attempt(&calls[index]);
    count(got == EBADF, calls[index].name, "must reach the kernel", got);
  }
  const struct call high = {"ftruncate by the high half", SYS_ftruncate, {-1, (long)(FILE_BYTES << 8)}};
  const int got = attempt(&high);
  count(got == ENOSYS, high.name, "must be notified", got);
}

// With a mediator: every call that writes or makes a name is notified, and what only reads is not.
static void test_mediated(void) {
  struct filter_choice choice = {.mediated = true, .numbers_from = numbers.from, .numbers_to = numbers.to, .file_bytes = FILE_BYTES};
  filter_assemble(&program, choice);
  test_notified();
  test_unnotified();
  const struct call chown_nothing = {"fchown", SYS_fchown, {-1}};
  count(attempt(&chown_nothing) == EBADF, chown_nothing.name, "must reach the kernel", 0);
  const struct {
    const char *name;
    long flags;
    int answer;
  } opens[] = {
      {"O_RDONLY", O_RDONLY, SURVIVED},         {"O_PATH and more", O_PATH | O_CREAT | O_RDWR, SURVIVED}, {"O_RDWR", O_RDWR, ENOSYS},
      {"O_RDONLY O_CREAT", O_CREAT, ENOSYS},    {"O_RDONLY O_TRUNC", O_TRUNC, ENOSYS},                    {"access mode 3", O_ACCMODE, ENOSYS},
      {"O_TMPFILE", O_TMPFILE | O_RDWR, ENOSYS}, {"high half", O_RDWR | HIGH_HALF, ENOSYS},
  };
  for (size_t index = 0; index < sizeof opens / sizeof *opens; index++) {
    const struct call call = {opens[index].name, SYS_openat, {AT_FDCWD, (long)"/", opens[index].flags, 0600}};
    const int got = attempt(&call);
    count(got == opens[index].answer, opens[index].name, "must be notified when it could write", got);
  }
  choice.strict = true;
  filter_assemble(&program, choice);
  test_notified();
  const struct call reads = {"strict O_RDONLY", SYS_openat, {AT_FDCWD, (long)"/", O_RDONLY}};
  const struct call nothing = {"strict O_PATH", SYS_openat, {AT_FDCWD, (long)"/", O_PATH}};
  int got = attempt(&reads);
  count(got == ENOSYS, reads.name, "must be notified", got);
  got = attempt(&nothing);
  count(got == SURVIVED, nothing.name, "must pass", got);
  filter_assemble(&program, (struct filter_choice){0});
}

// Where namespaces may nest: those three and no others, a root of one's own, no tables of a firewall, and what gives files capabilities is notified.
static void test_nested(void) {
  filter_assemble(&program, (struct filter_choice){.mediated = true, .nested = true});
  const struct {
    struct call call;
    int answer;
  } calls[] = {
      {{"unshare user, pid, net", SYS_unshare, {CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET}}, SURVIVED},
      {{"unshare user and mount", SYS_unshare, {CLONE_NEWUSER | CLONE_NEWNS}}, EPERM},
      {{"clone user and cgroup", SYS_clone, {CLONE_NEWUSER | CLONE_NEWCGROUP | SIGCHLD}}, EPERM},
      {{"chroot", SYS_chroot, {(long)"/nowhere/at/all"}}, ENOENT},
      {{"mount", SYS_mount, {0}}, EPERM},
      {{"setns", SYS_setns, {-1}}, EPERM},
      {{"setsockopt IPT_SO_SET_REPLACE", SYS_setsockopt, {-1, 0, 64}}, EPERM},
      {{"setsockopt EBT_SO_SET_COUNTERS", SYS_setsockopt, {-1, 0, 129}}, EPERM},
      {{"setsockopt SO_REUSEADDR", SYS_setsockopt, {-1, SOL_SOCKET, SO_REUSEADDR}}, EBADF},
      {{"setxattr", SYS_setxattr, {0}}, ENOSYS},
      {{"chown", SYS_fchownat, {AT_FDCWD}}, ENOSYS},
      {{"openat O_RDONLY", SYS_openat, {AT_FDCWD, (long)"/", O_RDONLY}}, SURVIVED},
  };
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
    const int got = attempt(&calls[index].call);
    count(got == calls[index].answer, calls[index].call.name, "where namespaces may nest", got);
  }
  filter_assemble(&program, (struct filter_choice){0});
}

// How many instructions of the filter lie on the way of a call without arguments to its answer.
static unsigned steps_of(uint32_t number) {
  struct seccomp_data data = {.nr = (int)number};
  uint32_t loaded = 0;
  unsigned steps = 0;
  for (size_t at = 3;; steps++) { // behind the architecture
    const struct sock_filter *next = &program.code[at++];
    if (BPF_CLASS(next->code) == BPF_RET) return steps;
    if (BPF_CLASS(next->code) == BPF_LD) memcpy(&loaded, (const char *)&data + next->k, sizeof loaded);
    else if (BPF_CLASS(next->code) == BPF_ALU) loaded &= next->k;
    else if (BPF_OP(next->code) == BPF_JA) at += next->k;
    else if (BPF_OP(next->code) == BPF_JEQ) at += loaded == next->k ? next->jt : next->jf;
    else if (BPF_OP(next->code) == BPF_JGT) at += loaded > next->k ? next->jt : next->jf;
    else if (BPF_OP(next->code) == BPF_JGE) at += loaded >= next->k ? next->jt : next->jf;
    else at += (loaded & next->k) != 0 ? next->jt : next->jf;
  }
}

// The kernel goes all these ways when the filter is put on, for each command.
static void test_short_ways(void) {
  filter_assemble(&program, (struct filter_choice){.mediated = true, .numbers_from = numbers.from, .numbers_to = numbers.to, .file_bytes = FILE_BYTES});
  unsigned long steps = 0;
  for (uint32_t number = 0; number <= SYSCALL_NEWEST; number++) steps += steps_of(number);
  count(steps / SYSCALL_NEWEST < STEPS_MEAN_MAX, "all calls", "must be answered in a few steps", (int)(steps / SYSCALL_NEWEST));
  filter_assemble(&program, (struct filter_choice){0});
}

// Each request number by itself.
static void test_ioctls(void) {
  for (size_t index = 0; index < refused_ioctl_count; index++) {
    const struct call call = {"ioctl", SYS_ioctl, {0, (long)refused_ioctls[index] | HIGH_HALF}};
    const int got = attempt(&call);
    count(got == EPERM, "ioctl", "must be refused", got);
  }
}

#if defined(__x86_64__)
static int in_child(void (*act)(void)) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || filter_enter(&program, &listener) != 0) _exit(255);
    act();
    _exit(254);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void call_by_int80(void) {
  long result = 20; // getpid of the 32-bit table
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  _exit(result > 0 ? 0 : 1);
}

static void call_by_x32(void) {
  _exit(syscall(0x40000000 | SYS_getpid) < 0 ? errno : 0);
}

static void test_other_abis(void) {
  int got = in_child(call_by_int80);
  count(got == -SIGSYS || got == -SIGSEGV, "int80", "must be killed", got); // SIGSEGV: a kernel without the 32-bit ABI
  got = in_child(call_by_x32);
  count(got == EPERM, "x32", "must be EPERM", got);
}
#else
static void test_other_abis(void) {}
#endif

int main(void) {
  if (!filter_assemble(&program, (struct filter_choice){0})) return 2;
  test_rows();
  test_gvisor();
  test_every_bit();
  test_refused();
  test_allowed();
  test_ioctls();
  test_mediated();
  test_nested();
  test_short_ways();
  test_other_abis();
  printf("%u passed, %u failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
