// launcher --uid N --stage DIR [--join FILE]... [--idmap SRC NAME | --idmap-ro SRC NAME]... -- COMMAND [ARGUMENT...]
//
// Started as root: gives COMMAND (absolute path, normally bubblewrap) an allocated uid that owns nothing on the host, and, below DIR, one
// clone of each SRC whose owner it appears to be. FILE is that of a control group, of which it becomes a member first. Open descriptors are passed on as they are. Started as anybody else it refuses.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "../cleanup.h"
#include "failure.h"
#include "identity.h"
#include "owner-map.h"
#include "stage.h"

#define UID_MIN 1000u // below are accounts of the system
#define UID_MAX 4294967293u

static bool parse_uid(const char *text, uid_t *uid) {
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || *end != '\0' || *text < '0' || *text > '9' || value < UID_MIN || value > UID_MAX) return false;
  *uid = (uid_t)value;
  return true;
}

static bool is_plain_name(const char *name) {
  return *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

struct options {
  uid_t uid;
  const char *stage;
  int first_group, first_bind, command; // indices into argv
};

static bool is_bind(const char *argument) {
  return strcmp(argument, "--idmap") == 0 || strcmp(argument, "--idmap-ro") == 0;
}

static bool parse_options(int argc, char **argv, struct options *options) {
  if (argc < 7 || strcmp(argv[1], "--uid") != 0 || strcmp(argv[3], "--stage") != 0) return false;
  if (!parse_uid(argv[2], &options->uid) || argv[4][0] != '/') return false;
  options->stage = argv[4];
  int at = options->first_group = 5;
  for (; at + 1 < argc && strcmp(argv[at], "--join") == 0; at += 2) {
    if (argv[at + 1][0] != '/') return false;
  }
  options->first_bind = at;
  for (; at + 2 < argc && is_bind(argv[at]); at += 3) {
    if (argv[at + 1][0] != '/' || !is_plain_name(argv[at + 2])) return false;
  }
  options->command = at + 1;
  return at + 1 < argc && strcmp(argv[at], "--") == 0 && argv[at + 1][0] == '/';
}

static int stage_all(char **argv, const struct options *options) {
  int status = stage_open(options->stage);
  for (int at = options->first_bind; status == 0 && is_bind(argv[at]); at += 3) {
    status = stage_attach(options->stage, argv[at + 1], argv[at + 2], options->uid, strcmp(argv[at], "--idmap-ro") == 0);
  }
  owner_maps_end();
  return status;
}

// "0" is the writer itself, which the kernel moves without stopping anybody.
static int join_all(char **argv, const struct options *options) {
  for (int at = options->first_group; at < options->first_bind; at += 2) {
    AUTO_CLOSE const int file = open(argv[at + 1], O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 || write(file, "0", 1) != 1) return failure(STEP_GROUP, argv[at + 1], errno);
  }
  return 0;
}

int main(int argc, char **argv) {
  const pid_t parent = getppid();
  struct options options;
  if (!parse_options(argc, argv, &options)) return failure(STEP_USAGE, NULL, EINVAL);
  if (geteuid() != 0) return failure(STEP_USAGE, NULL, EPERM);
  umask(022);
  int status = identity_unused(options.uid);
  if (status == 0) status = join_all(argv, &options);
  if (status == 0) status = stage_all(argv, &options);
  if (status == 0) status = identity_become(options.uid, parent);
  if (status != 0) return status;
  if (chdir("/") != 0 || access(options.stage, X_OK) != 0) return failure(STEP_STAGE, options.stage, errno); // a closed directory above it
  execv(argv[options.command], argv + options.command);
  return failure(STEP_EXEC, argv[options.command], errno);
}
