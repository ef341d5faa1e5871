// Puts a clone of a directory of the attacker over another one in a nested namespace, by the newer mount calls, and reads through it.
// Arguments: FAKE TARGET FILE-BELOW-TARGET
#include "nested.h"

int main(int count, char **words) {
  attempting(count, 3);
  enter_nested_namespaces();
  int tree = (int)syscall(SYS_open_tree, AT_FDCWD, words[1], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (tree < 0) refused("open_tree");
  if (syscall(SYS_move_mount, tree, "", AT_FDCWD, words[2], MOVE_MOUNT_F_EMPTY_PATH) != 0) refused("move_mount");
  print_file(words[3]);
  return 0;
}
