// Landlock by its three system calls. Every file system right that the kernel's ABI knows is handled: what no rule grants is refused.
// It does not cover chmod, chown, utimes and xattr; outside the write roots those are held by the read-only mounts.
#define _GNU_SOURCE
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../cleanup.h"

// Older kernel headers lack parts of these.
struct ruleset_attr {
  uint64_t fs, net, scoped;
};
struct path_beneath {
  uint64_t access;
  int32_t parent;
} __attribute__((packed));

#define CREATE_VERSION 1u
#define RULE_PATH_BENEATH 1
#define SCOPE_ABSTRACT_UNIX (1ull << 0)
#define SCOPE_SIGNAL (1ull << 1)

#define RIGHT_EXECUTE (1ull << 0)
#define RIGHT_WRITE_FILE (1ull << 1)
#define RIGHT_READ_FILE (1ull << 2)
#define RIGHT_READ_DIR (1ull << 3)
#define RIGHT_MAKE_REG (1ull << 8)
#define RIGHT_TRUNCATE (1ull << 14)
#define RIGHT_IOCTL_DEV (1ull << 15)
#define RIGHTS_OF_FILES (RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV)

int landlock_abi(void) {
  const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
  return abi < 0 ? 0 : (int)abi;
}

// ABI 1: bits 0-12; 2: REFER; 3: TRUNCATE; 5: IOCTL_DEV.
static uint64_t rights_of_abi(int abi) {
  if (abi >= 5) return (1ull << 16) - 1;
  if (abi >= 3) return (1ull << 15) - 1;
  if (abi >= 2) return (1ull << 14) - 1;
  return (1ull << 13) - 1;
}

static int create_ruleset(const struct landlock *landlock) {
  const struct ruleset_attr attr = {.fs = landlock->handled, .net = 0, .scoped = landlock->scopes};
  return (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
}

int landlock_prepare(struct landlock *landlock) {
  *landlock = (struct landlock){.abi = landlock_abi(), .session = -1, .command = -1};
  if (landlock->abi < (int)GB_SIZE_LANDLOCK_ABI_MIN) return EOPNOTSUPP;
  landlock->handled = rights_of_abi(landlock->abi);
  landlock->scopes = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
  landlock->session = create_ruleset(landlock);
  landlock->command = create_ruleset(landlock);
  return landlock->session < 0 || landlock->command < 0 ? errno : 0;
}

// Links are refused: a rule must mean the path that the host wrote, not what somebody pointed it to since.
static int open_plain(const char *path) {
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

static int allow_beneath(int ruleset, int parent, uint64_t rights) {
  const struct path_beneath beneath = {.access = rights, .parent = parent};
  return syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &beneath, 0) == 0 ? 0 : errno;
}

int landlock_add_rule(const struct landlock *landlock, const struct message_rule *rule) {
  AUTO_CLOSE const int parent = open_plain(rule->path);
  if (parent < 0) return rule->optional ? 0 : errno;
  struct stat status;
  if (fstat(parent, &status) != 0) return errno;
  uint64_t rights = rule->rights & landlock->handled;
  if (!S_ISDIR(status.st_mode)) rights &= RIGHTS_OF_FILES; // the kernel refuses directory rights on files
  if (rights == 0) return 0;
  int error = 0;
  if (rule->domain != GB_DOMAIN_SESSION) error = allow_beneath(landlock->command, parent, rights);
  if (error == 0 && rule->domain != GB_DOMAIN_COMMAND) error = allow_beneath(landlock->session, parent, rights);
  return error;
}

bool landlock_rule_is_private(const struct message_rule *rule) {
  const uint64_t terminals = RIGHT_READ_DIR | RIGHT_IOCTL_DEV;
  return rule->domain == GB_DOMAIN_BOTH && ((rule->rights & RIGHT_MAKE_REG) != 0 || (rule->rights & terminals) == terminals);
}

int landlock_add_own_rules(const struct landlock *landlock) {
  static const struct message_rule own[] = {
      {RIGHT_READ_FILE | RIGHT_READ_DIR, false, GB_DOMAIN_SESSION, "/proc"}, // a tree is ended by what /proc shows of it
      {RIGHT_READ_FILE | RIGHT_WRITE_FILE | RIGHT_READ_DIR | RIGHT_IOCTL_DEV, true, GB_DOMAIN_SESSION, "/dev/pts"},
  };
  for (size_t index = 0; index < sizeof own / sizeof *own; index++) {
    const int error = landlock_add_rule(landlock, &own[index]);
    if (error != 0) return error;
  }
  return 0;
}

int landlock_enter(int ruleset) {
  return syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : errno;
}
