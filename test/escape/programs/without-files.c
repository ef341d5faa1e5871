// Not an attack: runs a command on a machine where some files seem to be missing, by mounting the null device over them in a mount namespace of
// its own. Uid and gid stay what they are. Arguments: FILE... -- COMMAND...
#include "nested.h"

int main(int count, char **words) {
  int at = 1;
  if (geteuid() == 0) {
    if (unshare(CLONE_NEWNS) != 0) refused("unshare");
  } else {
    enter_nested_namespaces();
  }
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) refused("private");
  for (; at < count && strcmp(words[at], "--") != 0; at++)
    if (access(words[at], F_OK) == 0 && mount("/dev/null", words[at], NULL, MS_BIND, NULL) != 0) refused("mount");
  if (at + 1 >= count) return 2;
  execv(words[at + 1], words + at + 1);
  refused("exec");
}
