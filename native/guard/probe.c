// `guard probe`: asks the kernel by trying, in throw-away children where trying changes something.
#define _GNU_SOURCE
#include "probe.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../protocol.h"
#include "filter.h"
#include "landlock.h"

#if defined(__x86_64__)
#define ARCHITECTURE_NAME "x86_64"
#else
#define ARCHITECTURE_NAME "aarch64"
#endif

static bool works_in_child(bool (*attempt)(void)) {
  const pid_t pid = fork();
  if (pid == 0) _exit(attempt() ? 0 : 1);
  int status = -1;
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool enter_filter(void) {
  static struct bpf_program program;
  int listener;
  return filter_assemble(&program, (struct filter_choice){0}) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_enter(&program, &listener) == 0;
}

static bool make_user_namespace(void) {
  return unshare(CLONE_NEWUSER) == 0;
}

static bool has_notifications(void) {
  struct seccomp_notif_sizes sizes;
  return syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0;
}

static bool has_pidfd(void) {
  const int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static const char *word(bool works) {
  return works ? "yes" : "no";
}

int guard_probe(void) {
#ifdef GLOVEBOX_TEST_BUILD
  const bool test_build = true;
#else
  const bool test_build = false;
#endif
  printf("version=%u\narch=%s\ntest_build=%s\n", GB_SIZE_VERSION, ARCHITECTURE_NAME, word(test_build));
  printf("landlock_abi=%d\nlandlock_abi_min=%u\n", landlock_abi(), GB_SIZE_LANDLOCK_ABI_MIN);
  fflush(stdout); // before the forks
  const bool seccomp = works_in_child(enter_filter);
  const bool user_namespaces = works_in_child(make_user_namespace);
  printf("seccomp=%s\nseccomp_notify=%s\nuserns=%s\npidfd=%s\n", word(seccomp), word(has_notifications()), word(user_namespaces), word(has_pidfd()));
  return fflush(stdout) == 0 ? 0 : GB_EXIT_INTERNAL;
}
