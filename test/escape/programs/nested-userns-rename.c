// Takes a directory's descriptor, detaches the mounts below it in a nested namespace, and renames a protected entry away, so that
// the host finds another one in its place. Arguments: DIRECTORY PROTECTED REPLACEMENT
#include "nested.h"

int main(int count, char **words) {
  attempting(count, 3);
  int directory = open(words[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) refused("open directory");
  enter_nested_namespaces();
  leave_mounts_behind();
  if (renameat(directory, words[3], directory, words[2]) != 0) refused("rename");
  return 0;
}
