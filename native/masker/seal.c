// A list of what is allowed; anything else ends the masker, and with it the sandbox.
#define _GNU_SOURCE
#include "seal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../shared/bpf.h"
#include "report.h"

static const uint32_t allowed[] = {
    SYS_read,           SYS_write,        SYS_close,           SYS_ppoll,           SYS_fstat,       SYS_newfstatat, SYS_statx,
    SYS_fstatfs,        SYS_getdents64,   SYS_openat2,         SYS_readlinkat,      SYS_faccessat,   SYS_fchdir,     SYS_inotify_init1,
    SYS_faccessat2,     SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_open_tree, SYS_mount_setattr, SYS_move_mount, SYS_fsopen,
    SYS_fsconfig,       SYS_fsmount,      SYS_mmap,            SYS_munmap,          SYS_mremap,      SYS_brk,        SYS_mprotect,
    SYS_clock_gettime,  SYS_exit_group,   SYS_rt_sigreturn,    SYS_restart_syscall, SYS_madvise,     SYS_futex,
};

static struct bpf_program program;
static pid_t parent;

static void allow_when(uint32_t number, unsigned argument, uint32_t value, int bits) {
  bpf_load_number(&program);
  bpf_skip_unless_equal(&program, number, 3);
  bpf_load_argument(&program, argument);
  if (bits) bpf_skip_unless_any_bit(&program, value, 1);
  else bpf_skip_unless_equal(&program, value, 1);
  bpf_allow(&program);
}

static void assemble(void) {
  bpf_begin(&program);
  bpf_allow_calls(&program, allowed, sizeof allowed / sizeof *allowed);
  allow_when(SYS_openat, 2, O_PATH, 1);
  allow_when(SYS_ioctl, 1, FS_IOC_GETFLAGS & 0xffffffff, 0);
  allow_when(SYS_ioctl, 1, FIONREAD, 0);
  bpf_kill(&program);
}

int seal_calls(void) {
  assemble();
  const struct sock_fprog filter = {.len = (unsigned short)program.length, .filter = program.code};
  if (program.overflowed) return E2BIG;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

int seal_again(void) {
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  return getppid() == parent ? 0 : ESRCH; // it died before the line above
}

int seal_early(void) {
  parent = getppid();
  const struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (syscall(SYS_close_range, CHANNEL_FD + 1, ~0u, 0) != 0) return errno;
  signal(SIGPIPE, SIG_IGN);
  return seal_again();
}
