// Binds a directory of the attacker over another one in a nested namespace and reads through it. Arguments: FAKE TARGET FILE-BELOW-TARGET
#include "nested.h"

int main(int count, char **words) {
  attempting(count, 3);
  enter_nested_namespaces();
  if (mount(words[1], words[2], NULL, MS_BIND, NULL) != 0) refused("mount");
  print_file(words[3]);
  return 0;
}
