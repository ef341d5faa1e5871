// Changes mode, owner, times and attributes of a file that may only be read, by every call that can, until one works. Argument: FILE
#include "attack.h"
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#define NUMBER_FCHMODAT2 452
#define NUMBER_SETXATTRAT 463
#define NAME "user.glovebox-test"

static int worked, tried;

static void note(const char *what, long result) {
  tried++;
  if (result == 0) {
    worked++;
    printf("worked: %s\n", what);
  }
}

static void by_path(const char *file) {
  const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  const struct timeval old[2] = {{1000000000, 0}, {1000000000, 0}};
  note("chmod", chmod(file, 0640));
  note("fchmodat", syscall(SYS_fchmodat, AT_FDCWD, file, 0604));
  note("fchmodat2", syscall(NUMBER_FCHMODAT2, AT_FDCWD, file, 0644, AT_SYMLINK_NOFOLLOW));
  note("chown", chown(file, getuid(), getgid()));
  note("lchown", lchown(file, getuid(), getgid()));
  note("fchownat", fchownat(AT_FDCWD, file, getuid(), getgid(), 0));
  note("utime", utime(file, NULL));
  note("utimes", utimes(file, old));
#ifdef SYS_futimesat // aarch64 never had it
  note("futimesat", syscall(SYS_futimesat, AT_FDCWD, file, old));
#endif
  note("utimensat", utimensat(AT_FDCWD, file, times, 0));
  note("setxattr", setxattr(file, NAME, "x", 1, 0));
  note("lsetxattr", lsetxattr(file, NAME, "y", 1, 0));
  const struct {
    unsigned long value;
    unsigned size, flags;
  } given = {(unsigned long)"z", 1, 0};
  note("setxattrat", syscall(NUMBER_SETXATTRAT, AT_FDCWD, file, 0, NAME, &given, sizeof given));
  note("removexattr", removexattr(file, NAME));
  note("lremovexattr", lremovexattr(file, NAME));
}

static void by_descriptor(const char *file) {
  const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) refused("open");
  note("fchmod", fchmod(fd, 0600));
  note("fchown", fchown(fd, getuid(), getgid()));
  note("futimens", futimens(fd, times));
  note("fsetxattr", fsetxattr(fd, NAME, "x", 1, 0));
  note("fremovexattr", fremovexattr(fd, NAME));
  close(fd);
}

static void by_place(const char *file) {
  char link[64];
  const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  const int place = open(file, O_PATH | O_CLOEXEC);
  if (place < 0) refused("open");
  note("fchmodat2 of a place", syscall(NUMBER_FCHMODAT2, place, "", 0644, AT_EMPTY_PATH));
  note("fchownat of a place", fchownat(place, "", getuid(), getgid(), AT_EMPTY_PATH));
  note("utimensat of a place", syscall(SYS_utimensat, place, "", times, AT_EMPTY_PATH));
  snprintf(link, sizeof link, "/proc/self/fd/%d", place);
  by_path(link);
  snprintf(link, sizeof link, "/proc/%d/fd/%d", getpid(), place);
  by_path(link);
  snprintf(link, sizeof link, "/dev/fd/%d", place);
  by_path(link);
  close(place);
}

int main(int count, char **words) {
  char around[512];
  attempting(count, 1);
  by_path(words[1]);
  by_descriptor(words[1]);
  by_place(words[1]);
  snprintf(around, sizeof around, "/proc/self/root%s", words[1]);
  by_path(around);
  printf("%d of %d calls worked\n", worked, tried);
  return worked == 0;
}
