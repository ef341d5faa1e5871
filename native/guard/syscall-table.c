// The table. Left open on purpose: ptrace and process_vm_* (debuggers work inside; Landlock keeps them within one command), name_to_handle_at
// (names, opens nothing), nested seccomp and Landlock (they only narrow), personality.
#define _GNU_SOURCE
#include "syscall-table.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define NUMBER_FCHMODAT2 452u // younger than the oldest headers that we build with
#define NUMBER_OPEN_TREE_ATTR 467u
#define NUMBER_QUOTACTL_FD 443u
#define NUMBER_SETXATTRAT 463u
#define NUMBER_REMOVEXATTRAT 466u
#define CLONE_NEWTIME_FLAG 0x80u

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | (uint32_t)CLONE_NEWNET)
#define SETID 06000u // set-user-id and set-group-id: with idmapped write roots they would be real on the host

#define ALWAYS(call, error) {#call, SYS_##call, ROW_ALWAYS, error, 0, 0, ROW_GOES_ON}
#define BITS(call, argument, bits) {#call, SYS_##call, ROW_BITS, EPERM, argument, bits, ROW_GOES_ON}
#define MAKES(call, argument) {#call, SYS_##call, ROW_BITS, EPERM, argument, SETID, ROW_NOTIFIES}
#define MEDIATED(call) {#call, SYS_##call, ROW_MEDIATED, 0, 0, 0, ROW_NOTIFIES}
#define SETS_MODE(call, argument) {#call, SYS_##call, ROW_BITS, EPERM, argument, SETID, ROW_NOTIFIES}
#define CHANGES(call) {#call, SYS_##call, ROW_MEDIATED, 0, 0, 0, ROW_NOTIFIES_STRICT}
#define NUMBERS(call) {#call, SYS_##call, ROW_NUMBERS, 0, 0, 0, ROW_NOTIFIES}
#define BEYOND(call, argument) {#call, SYS_##call, ROW_BEYOND, 0, argument, 0, ROW_NOTIFIES}
#define CREATE_MODE(call, argument) {#call, SYS_##call, ROW_CREATE_MODE, EPERM, argument, SETID, ROW_NOTIFIES}

const struct syscall_row syscall_rows[] = {
    // Opens, and the modes of what they make.
    CREATE_MODE(openat, 2),
#ifdef SYS_open // a call that aarch64 never had
    CREATE_MODE(open, 1),
#endif
    // Pointer files of git, and places beyond the longest file.
    NUMBERS(write), NUMBERS(writev), {"lseek", SYS_lseek, ROW_SEEK, 0, 1, 0, ROW_NOTIFIES}, BEYOND(pwrite64, 3), BEYOND(pwritev, 3), BEYOND(pwritev2, 3),
    BEYOND(ftruncate, 1),
    // A second way to do file and network work that no filter sees.
    ALWAYS(io_uring_setup, EPERM), ALWAYS(io_uring_enter, EPERM), ALWAYS(io_uring_register, EPERM),
    // Files by handle, past every path rule.
    ALWAYS(open_by_handle_at, EPERM),
    // Paths and modes behind a pointer; callers fall back.
    ALWAYS(openat2, ENOSYS), ALWAYS(clone3, ENOSYS), {"setxattrat", NUMBER_SETXATTRAT, ROW_ALWAYS, ENOSYS, 0, 0, ROW_GOES_ON},
    {"removexattrat", NUMBER_REMOVEXATTRAT, ROW_ALWAYS, ENOSYS, 0, 0, ROW_GOES_ON},
    // Mounts and roots.
    ALWAYS(mount, EPERM), ALWAYS(umount2, EPERM), ALWAYS(move_mount, EPERM), ALWAYS(open_tree, EPERM), ALWAYS(fsopen, EPERM),
    ALWAYS(fsconfig, EPERM), ALWAYS(fsmount, EPERM), ALWAYS(fspick, EPERM), ALWAYS(mount_setattr, EPERM), ALWAYS(pivot_root, EPERM),
    {"chroot", SYS_chroot, ROW_NESTED, EPERM, 0, 0, ROW_GOES_ON}, {"open_tree_attr", NUMBER_OPEN_TREE_ATTR, ROW_ALWAYS, EPERM, 0, 0, ROW_GOES_ON},
    // Namespaces.
    {"unshare", SYS_unshare, ROW_NAMESPACES, EPERM, 0, NAMESPACES | CLONE_NEWTIME_FLAG, ROW_GOES_ON},
    {"clone", SYS_clone, ROW_NAMESPACES, EPERM, 0, NAMESPACES, ROW_GOES_ON}, ALWAYS(setns, EPERM),
    {"setsockopt", SYS_setsockopt, ROW_NETFILTER, EPERM, 2, 0, ROW_GOES_ON},
    // Kernel subsystems with a wide surface, and keys that belong to the user, not to the sandbox.
    ALWAYS(bpf, EPERM), ALWAYS(perf_event_open, EPERM), ALWAYS(userfaultfd, EPERM), ALWAYS(keyctl, EPERM), ALWAYS(add_key, EPERM),
    ALWAYS(request_key, EPERM),
    // The machine.
    ALWAYS(kexec_load, EPERM), ALWAYS(init_module, EPERM), ALWAYS(finit_module, EPERM), ALWAYS(delete_module, EPERM),
    ALWAYS(swapon, EPERM), ALWAYS(swapoff, EPERM), ALWAYS(reboot, EPERM), ALWAYS(quotactl, EPERM),
    {"quotactl_fd", NUMBER_QUOTACTL_FD, ROW_ALWAYS, EPERM, 0, 0, ROW_GOES_ON}, ALWAYS(acct, EPERM), ALWAYS(syslog, EPERM),
    ALWAYS(settimeofday, EPERM), ALWAYS(clock_settime, EPERM), ALWAYS(clock_adjtime, EPERM), ALWAYS(adjtimex, EPERM),
    ALWAYS(sethostname, EPERM), ALWAYS(setdomainname, EPERM), ALWAYS(vhangup, EPERM),
#ifdef SYS_kexec_file_load
    ALWAYS(kexec_file_load, EPERM),
#endif
#ifdef SYS_iopl
    ALWAYS(iopl, EPERM), ALWAYS(ioperm, EPERM),
#endif
    // Limits of another process: the guard and the keepers have the same uid. 0 is the caller itself.
    {"prlimit64", SYS_prlimit64, ROW_NONZERO, EPERM, 0, 0, ROW_GOES_ON},
    {"setrlimit", SYS_setrlimit, ROW_GVISOR_LIMIT, EPERM, 0, 0, ROW_GOES_ON},
    // The processors that the sandbox is bound to.
    ALWAYS(sched_setaffinity, EPERM),
    // Space taken without writing would fill a disk between two looks; libraries write instead. Giving space back stays.
    {"fallocate", SYS_fallocate, ROW_UNLESS_BITS, EOPNOTSUPP, 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE, ROW_GOES_ON},
    // The kernel looks at 32 bits of the request.
    {"ioctl", SYS_ioctl, ROW_IOCTL, EPERM, 1, 0, ROW_GOES_ON}, {"file_setattr", SYSCALL_NEWEST, ROW_ALWAYS, EPERM, 0, 0, ROW_GOES_ON},
    // Modes.
    SETS_MODE(fchmod, 1), SETS_MODE(fchmodat, 2), {"fchmodat2", NUMBER_FCHMODAT2, ROW_BITS, EPERM, 2, SETID, ROW_NOTIFIES},
    MAKES(mkdirat, 2), MAKES(mknodat, 2),
#ifdef SYS_chmod // calls that aarch64 never had
    SETS_MODE(chmod, 1), MAKES(mkdir, 1), MAKES(mknod, 1), MAKES(creat, 1), MEDIATED(rename), MEDIATED(link), MEDIATED(symlink),
    MEDIATED(unlink), MEDIATED(rmdir),
#endif
    // Names, and truncation by path.
    MEDIATED(renameat2), MEDIATED(linkat), MEDIATED(symlinkat), MEDIATED(unlinkat), MEDIATED(truncate), MEDIATED(bind), MEDIATED(connect),
    // Goes on; but until somebody changes a umask, the mediator knows it without looking.
    MEDIATED(umask),
#ifdef SYS_renameat
    MEDIATED(renameat),
#endif
    // Owners, times and attributes.
    CHANGES(fchown), CHANGES(fchownat), CHANGES(utimensat), CHANGES(setxattr), CHANGES(lsetxattr), CHANGES(fsetxattr), CHANGES(removexattr),
    CHANGES(lremovexattr), CHANGES(fremovexattr),
#ifdef SYS_chown
    CHANGES(chown), CHANGES(lchown), CHANGES(utime), CHANGES(utimes), CHANGES(futimesat),
#endif
    // A connect that is none.
    {"sendto", SYS_sendto, ROW_BITS, EOPNOTSUPP, 3, MSG_FASTOPEN, ROW_GOES_ON}, {"sendmsg", SYS_sendmsg, ROW_BITS, EOPNOTSUPP, 2, MSG_FASTOPEN, ROW_GOES_ON},
    {"sendmmsg", SYS_sendmmsg, ROW_BITS, EOPNOTSUPP, 3, MSG_FASTOPEN, ROW_GOES_ON},
    // Sockets.
    {"socket", SYS_socket, ROW_SOCKET, EAFNOSUPPORT, 0, 0, ROW_GOES_ON}, {"socketpair", SYS_socketpair, ROW_SOCKET, EAFNOSUPPORT, 0, 0, ROW_GOES_ON},
};

const size_t syscall_row_count = sizeof syscall_rows / sizeof *syscall_rows;

const uint32_t refused_ioctls[] = {
    // Typing into a terminal that somebody else reads.
    TIOCSTI, TIOCLINUX,
    // A directory that takes different names for one would defeat every rule about names: FS_IOC_SETFLAGS, its 32-bit form, FS_IOC_FSSETXATTR.
    0x40086602u, 0x40046602u, 0x401c5820u,
    // Names made past the calls that make names: btrfs snapshots and subvolumes, bcachefs subvolumes, ocfs2 reflinks.
    0x50009401u, 0x5000940eu, 0x50009417u, 0x50009418u, 0x4020bc10u, 0x40186f04u,
    // A file changed by a descriptor that may only read: FS_IOC_SETVERSION and its 32-bit form, FS_IOC_ENABLE_VERITY, FS_IOC_SET_ENCRYPTION_POLICY, attributes of FAT.
    0x40087602u, 0x40047602u, 0x40806685u, 0x800c6613u, 0x40047211u,
};

const size_t refused_ioctl_count = sizeof refused_ioctls / sizeof *refused_ioctls;
