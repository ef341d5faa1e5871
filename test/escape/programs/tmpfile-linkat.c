// Makes a nameless file in a directory that may be written and gives it a name in one that may not. Arguments: DIRECTORY TARGET
#include "attack.h"

int main(int count, char **words) {
  attempting(count, 2);
  int file = open(words[1], O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) refused("open");
  if (write(file, "linked", 6) < 0) refused("write");
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  if (linkat(AT_FDCWD, path, AT_FDCWD, words[2], AT_SYMLINK_FOLLOW) != 0) refused("linkat");
  return 0;
}
