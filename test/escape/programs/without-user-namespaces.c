// Not an attack: runs a command where the kernel's own limit leaves no user namespace, set for one namespace of the caller with unchanged ids.
// For an ordinary user. Arguments: COMMAND...
#include "nested.h"

int main(int count, char **words) {
  if (count < 2) return 2;
  enter_nested_namespaces();
  write_proof("/proc/sys/user/max_user_namespaces", "0");
  execv(words[1], words + 1);
  refused("exec");
}
