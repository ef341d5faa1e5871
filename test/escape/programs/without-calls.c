// Not an attack: runs a command on a kernel that seems to lack a feature, by a filter that answers as such a kernel would.
// Arguments: landlock|seccomp|user-namespaces|idmap|ipv6 COMMAND...
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define CALL offsetof(struct seccomp_data, nr)
#define FIRST_ARGUMENT offsetof(struct seccomp_data, args[0])
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ANSWER(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define UNLESS_BITS(value, skip) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, 0, skip)

// Low halves only: a test kernel's imitation, not a wall. Little-endian processors.
static struct sock_filter without_landlock[] = {LOAD(CALL), UNLESS(SYS_landlock_create_ruleset, 1), ANSWER(ENOSYS), ALLOW};
static struct sock_filter without_seccomp[] = {
    LOAD(CALL), UNLESS(SYS_seccomp, 1), ANSWER(ENOSYS), UNLESS(SYS_prctl, 3), LOAD(FIRST_ARGUMENT), UNLESS(PR_SET_SECCOMP, 1), ANSWER(EINVAL), ALLOW};
// As with user.max_user_namespaces = 0: ENOSPC; the newest call is answered as missing, so that everyone falls back to the visible flags.
static struct sock_filter without_user_namespaces[] = {
    LOAD(CALL), UNLESS(SYS_clone3, 1), ANSWER(ENOSYS), UNLESS(SYS_unshare, 3), LOAD(FIRST_ARGUMENT), UNLESS_BITS(CLONE_NEWUSER, 1), ANSWER(ENOSPC),
    LOAD(CALL), UNLESS(SYS_clone, 3), LOAD(FIRST_ARGUMENT), UNLESS_BITS(CLONE_NEWUSER, 1), ANSWER(ENOSPC), ALLOW};
static struct sock_filter without_idmap[] = {LOAD(CALL), UNLESS(SYS_mount_setattr, 1), ANSWER(EINVAL), ALLOW};
static struct sock_filter without_ipv6[] = {LOAD(CALL), UNLESS(SYS_socket, 3), LOAD(FIRST_ARGUMENT), UNLESS(AF_INET6, 1), ANSWER(EAFNOSUPPORT), ALLOW};

#define PROGRAM(filter) {sizeof(filter) / sizeof *(filter), filter}

static struct sock_fprog program_for(const char *feature) {
  if (strcmp(feature, "landlock") == 0) return (struct sock_fprog)PROGRAM(without_landlock);
  if (strcmp(feature, "seccomp") == 0) return (struct sock_fprog)PROGRAM(without_seccomp);
  if (strcmp(feature, "user-namespaces") == 0) return (struct sock_fprog)PROGRAM(without_user_namespaces);
  if (strcmp(feature, "idmap") == 0) return (struct sock_fprog)PROGRAM(without_idmap);
  if (strcmp(feature, "ipv6") == 0) return (struct sock_fprog)PROGRAM(without_ipv6);
  fputs("unknown feature\n", stderr);
  exit(2);
}

int main(int count, char **words) {
  if (count < 3) return 2;
  struct sock_fprog program = program_for(words[1]);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) refused("seccomp");
  execv(words[2], words + 2);
  refused("exec");
}
