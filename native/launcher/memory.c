// New file systems, configured by name and attached by descriptor.
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"
#include "failure.h"

#define PATH_BYTES 256
// Of all instances together the kernel gives 3,072 by default, to whoever asks first.
#define TERMINALS_MAX "128"

struct option {
  const char *key, *value;
};

static int new_file_system(const char *type, const struct option *options, size_t count, unsigned attributes) {
  AUTO_CLOSE const int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  for (size_t index = 0; index < count; index++) {
    if (syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, options[index].key, options[index].value, 0) != 0) return -1;
  }
  if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) return -1;
  return (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
}

int memory_scratch(struct stage *stage, const char *destination, const char *mode, const char *bytes) {
  char uid[16], gid[16];
  snprintf(uid, sizeof uid, "%u", stage->uid);
  snprintf(gid, sizeof gid, "%u", stage->gid);
  const struct option options[] = {{"size", bytes}, {"mode", mode}, {"uid", uid}, {"gid", gid}};
  AUTO_CLOSE const int scratch = new_file_system("tmpfs", options, 4, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  struct stat status;
  if (scratch < 0 || fstat(scratch, &status) != 0) return failure(STEP_ATTACH, destination, errno);
  if (stage->made_count == MADE_MAX) return failure(STEP_ATTACH, destination, EMFILE);
  stage->made[stage->made_count++] = status.st_dev;
  return stage_attach(stage, scratch, destination, true);
}

static int show_device(const struct stage *stage, const char *directory, const char *name) {
  char source[PATH_BYTES], destination[PATH_BYTES];
  struct stat status;
  snprintf(source, sizeof source, "/dev/%s", name);
  snprintf(destination, sizeof destination, "%s/%s", directory, name);
  AUTO_CLOSE const int device = open(source, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (device < 0 || fstat(device, &status) != 0) return failure(STEP_SOURCE, source, errno);
  if (!S_ISCHR(status.st_mode)) return failure(STEP_SOURCE, source, ENODEV);
  AUTO_CLOSE const int tree = stage_clone(device, "", false);
  const struct mount_attr wanted = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC};
  if (tree < 0 || syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &wanted, sizeof wanted) != 0) return failure(STEP_SOURCE, source, errno);
  return stage_attach(stage, tree, destination, false);
}

static int show_terminals(const struct stage *stage, const char *directory) {
  char destination[PATH_BYTES];
  snprintf(destination, sizeof destination, "%s/pts", directory);
  const struct option options[] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {"max", TERMINALS_MAX}}; // every mount of it is an instance of its own
  AUTO_CLOSE const int terminals = new_file_system("devpts", options, sizeof options / sizeof *options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
  return terminals < 0 ? failure(STEP_ATTACH, destination, errno) : stage_attach(stage, terminals, destination, true);
}

int memory_devices(const struct stage *stage, const char *destination) {
  static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
  static const struct {
    const char *name, *target;
  } links[] = {
      {"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
      {"stderr", "/proc/self/fd/2"}, {"core", "/proc/kcore"},      {"ptmx", "pts/ptmx"},
  };
  int status = 0;
  for (size_t index = 0; status == 0 && index < sizeof devices / sizeof *devices; index++) status = show_device(stage, destination, devices[index]);
  for (size_t index = 0; status == 0 && index < sizeof links / sizeof *links; index++) {
    char link[PATH_BYTES];
    snprintf(link, sizeof link, "%s/%s", destination, links[index].name);
    status = stage_link(stage, link, links[index].target);
  }
  return status != 0 ? status : show_terminals(stage, destination);
}
