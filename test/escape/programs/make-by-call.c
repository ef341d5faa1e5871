// Makes a file by one system call that is not `open`. Arguments: CALL FILE PREPARED-FILE
#include "attack.h"
#include <linux/openat2.h>

static int make(const char *call, const char *path, const char *prepared) {
  struct open_how how = {.flags = O_WRONLY | O_CREAT | O_CLOEXEC, .mode = 0666, .resolve = RESOLVE_BENEATH};
  if (strcmp(call, "creat") == 0) return (int)syscall(SYS_creat, path, 0666);
  if (strcmp(call, "mknod") == 0) return mknod(path, S_IFREG | 0666, 0);
  if (strcmp(call, "mkfifo") == 0) return mkfifo(path, 0666);
  if (strcmp(call, "rename-no-replace") == 0) return renameat2(AT_FDCWD, prepared, AT_FDCWD, path, RENAME_NOREPLACE);
  if (strcmp(call, "link-by-descriptor") == 0) {
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", open(prepared, O_PATH | O_CLOEXEC));
    return linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
  }
  char directory[4096];
  snprintf(directory, sizeof directory, "%s", path);
  char *name = strrchr(directory, '/');
  *name++ = '\0';
  return (int)syscall(SYS_openat2, open(directory, O_PATH | O_CLOEXEC), name, &how, sizeof how);
}

int main(int count, char **words) {
  attempting(count, 3);
  write_proof(words[3], "prepared");
  if (make(words[1], words[2], words[3]) < 0) refused(words[1]);
  return 0;
}
