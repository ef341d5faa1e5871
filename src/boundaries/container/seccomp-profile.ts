// The system calls that a container may make at all: a list of what is allowed, for the guard as for every command. Of the shape that
// container engines use by default; a distribution's own list differs from machine to machine. The guard's filter for commands is a second
// one, and narrower.

interface SeccompArgument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: "SCMP_CMP_EQ" | "SCMP_CMP_NE" | "SCMP_CMP_MASKED_EQ";
}

export interface SeccompRule {
  readonly names: readonly string[];
  readonly action: "SCMP_ACT_ALLOW" | "SCMP_ACT_ERRNO";
  readonly errnoRet?: number;
  readonly args?: readonly SeccompArgument[];
}

export interface SeccompProfile {
  readonly defaultAction: "SCMP_ACT_ERRNO";
  readonly defaultErrnoRet: number;
  readonly architectures: readonly string[];
  readonly syscalls: readonly SeccompRule[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/u);

const files = words(`
  access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate fchdir fchmod
  fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstatfs fsync ftruncate
  futimesat getcwd getdents getdents64 getxattr getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown
  lgetxattr link linkat listxattr listxattrat llistxattr lremovexattr lseek lsetxattr lstat memfd_create mkdir mkdirat mknod mknodat
  newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv
  removexattr removexattrat rename renameat renameat2 rmdir sendfile setxattr setxattrat splice stat statfs statx symlink symlinkat sync
  sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev
`);

const memory = words(`
  brk madvise map_shadow_stack membarrier mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync munlock munlockall munmap
  pkey_alloc pkey_free pkey_mprotect process_madvise process_mrelease remap_file_pages
`);

const processes = words(`
  alarm arch_prctl capget capset execve execveat exit exit_group fork futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list
  get_thread_area getcpu getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid getppid getpriority getrandom getresgid
  getresuid getrlimit getrusage getsid gettid getuid ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset
  landlock_restrict_self pause pidfd_getfd pidfd_open pidfd_send_signal prctl prlimit64 process_vm_readv process_vm_writev ptrace
  restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
  rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
  sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp set_robust_list
  set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid
  setrlimit setsid setuid sigaltstack sysinfo tgkill times tkill uname vfork wait4 waitid
`);

const waiting = words(`
  clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2
  gettimeofday io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit nanosleep poll ppoll pselect6 select signalfd signalfd4
  time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime
`);

const sockets = words(`
  accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto setsockopt
  shutdown socketpair
`);

const messages = words(`
  mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat
  shmctl shmdt shmget
`);

export const allowedCalls: readonly string[] = [...files, ...memory, ...processes, ...waiting, ...sockets, ...messages];

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaceFlags = 0x7e02_0000;
const timeNamespaceFlag = 0x80;
const vsock = 40;
const ENOSYS = 38;
const EPERM = 1;
/** Linux, Linux 32 bit, uname 2.6, both, and a question. */
const personalities = [0, 8, 0x2_0000, 0x2_0008, 0xffff_ffff] as const;

const architectureNames: Readonly<Record<string, string>> = { x64: "SCMP_ARCH_X86_64", arm64: "SCMP_ARCH_AARCH64" };

/** @param architecture as Node names it; of another one every call is refused */
export function seccompProfile(architecture: string): SeccompProfile {
  const native = architectureNames[architecture];
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: EPERM,
    architectures: native === undefined ? [] : [native],
    syscalls: [
      { names: allowedCalls, action: "SCMP_ACT_ALLOW" },
      { names: ["clone"], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: namespaceFlags, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }] },
      // A thread may have a directory of its own, and no namespace.
      {
        names: ["unshare"],
        action: "SCMP_ACT_ALLOW",
        args: [{ index: 0, value: namespaceFlags + timeNamespaceFlag, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }],
      },
      // Its flags lie behind a pointer; libraries fall back to clone.
      { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS },
      { names: ["socket"], action: "SCMP_ACT_ALLOW", args: [{ index: 0, value: vsock, op: "SCMP_CMP_NE" }] },
      ...personalities.map((value): SeccompRule => ({
        names: ["personality"],
        action: "SCMP_ACT_ALLOW",
        args: [{ index: 0, value, op: "SCMP_CMP_EQ" }],
      })),
    ],
  };
}
