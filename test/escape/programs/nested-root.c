// Makes DIRECTORY its root directory in a user namespace of its own, then: writes CANARY to NAME below it, or leaves it again by a descriptor
// from before and prints FILE. Arguments: write DIRECTORY NAME CANARY | leave DIRECTORY FILE
#include "nested.h"

static void make_parents(char *path) {
  for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(path, 0777);
    *at = '/';
  }
}

int main(int count, char **words) {
  attempting(count, 3);
  int before = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  enter_nested_as_root();
  if (chroot(words[2]) != 0) refused("chroot");
  if (strcmp(words[1], "write") == 0) {
    make_parents(words[3]);
    write_proof(words[3], words[4]);
    return 0;
  }
  if (fchdir(before) != 0) refused("fchdir");
  print_file(words[3] + 1);
  return 0;
}
