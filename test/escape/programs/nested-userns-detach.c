// Takes a directory's descriptor, leaves every mount below it behind by detaching the whole tree in a nested namespace, and writes the
// protected file through the descriptor. Arguments: DIRECTORY NAME TEXT
#include "nested.h"

int main(int count, char **words) {
  attempting(count, 3);
  int directory = open(words[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) refused("open directory");
  enter_nested_namespaces();
  leave_mounts_behind();
  int file = openat(directory, words[2], O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) refused("open file");
  if (write(file, words[3], strlen(words[3])) < 0) refused("write");
  return 0;
}
