// Takes the read-only mount away from a protected file, first as it stands, then from a nested user namespace, and writes the file after each.
// Arguments: HOW FILE
#include "nested.h"
#include <stdbool.h>
#include <sys/statvfs.h>

// A remount must repeat what it does not want to change.
static unsigned long kept_flags(const char *path) {
  struct statvfs about;
  if (statvfs(path, &about) != 0) return 0;
  const unsigned long same = about.f_flag & (ST_NOSUID | ST_NODEV | ST_NOEXEC | ST_NOATIME | ST_NODIRATIME);
  return same | ((about.f_flag & ST_RELATIME) != 0 ? MS_RELATIME : 0);
}

static void peel(const char *how, const char *path) {
  struct mount_attr attributes = {.attr_clr = MOUNT_ATTR_RDONLY};
  int result;
  if (strcmp(how, "umount") == 0) result = umount2(path, MNT_DETACH);
  else if (strcmp(how, "remount") == 0) result = mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | kept_flags(path), NULL);
  else result = (int)syscall(SYS_mount_setattr, AT_FDCWD, path, 0u, &attributes, sizeof attributes);
  if (result != 0) printf("refused: %s: %s\n", how, strerrorname_np(errno));
}

static bool writes(const char *path) {
  int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, "changed\n", 8) == 8;
  close(fd);
  return written;
}

int main(int count, char **words) {
  attempting(count, 2);
  peel(words[1], words[2]);
  if (writes(words[2])) return 0;
  enter_nested_namespaces();
  peel(words[1], words[2]);
  return writes(words[2]) ? 0 : 1;
}
