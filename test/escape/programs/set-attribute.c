// Sets an extended attribute on a file that may only be read. Argument: FILE
#include "attack.h"
#include <sys/xattr.h>

int main(int count, char **words) {
  attempting(count, 1);
  if (setxattr(words[1], "user.glovebox-test", "changed", 7, 0) != 0) refused("setxattr");
  return 0;
}
