// Tries every call that sets a mode to leave a setuid or setgid bit in a directory (mkdir drops them by itself). Argument: DIRECTORY
#include "attack.h"
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static int make_plain(const char *name) {
  int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (file < 0) refused("open");
  return file;
}

static void note(const char *what, long result) {
  if (result != 0) printf("refused: %s: %s\n", what, strerrorname_np(errno));
}

int main(int count, char **words) {
  attempting(count, 1);
  if (chdir(words[1]) != 0) refused("chdir");
  umask(0);
  close(make_plain("bits-chmod"));
  note("chmod", syscall(SYS_chmod, "bits-chmod", 04755));
  int file = make_plain("bits-fchmod");
  note("fchmod", syscall(SYS_fchmod, file, 02755));
  close(file);
  close(make_plain("bits-fchmodat"));
  note("fchmodat", syscall(SYS_fchmodat, AT_FDCWD, "bits-fchmodat", 06755));
  close(make_plain("bits-fchmodat2"));
  note("fchmodat2", syscall(SYS_fchmodat2, AT_FDCWD, "bits-fchmodat2", 04755, 0));
  note("open", syscall(SYS_open, "bits-open", O_WRONLY | O_CREAT | O_CLOEXEC, 04755) < 0);
  note("openat", syscall(SYS_openat, AT_FDCWD, "bits-openat", O_WRONLY | O_CREAT | O_CLOEXEC, 04755) < 0);
  note("creat", syscall(SYS_creat, "bits-creat", 04755) < 0);
  note("mknod", syscall(SYS_mknod, "bits-mknod", S_IFREG | 04755, 0));
  note("mknodat", syscall(SYS_mknodat, AT_FDCWD, "bits-mknodat", S_IFREG | 04755, 0));
  struct { unsigned long long flags, mode, resolve; } how = {O_WRONLY | O_CREAT | O_CLOEXEC, 04755, 0};
  note("openat2", syscall(SYS_openat2, AT_FDCWD, "bits-openat2", &how, sizeof how) < 0);
  int nameless = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 04755);
  note("open O_TMPFILE", nameless < 0);
  if (nameless >= 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", nameless);
    note("linkat", linkat(AT_FDCWD, path, AT_FDCWD, "bits-nameless", AT_SYMLINK_FOLLOW));
  }
  return 0;
}
