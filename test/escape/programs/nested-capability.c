// Root of a user namespace of its own gives a file every capability: the kernel notes whose root it was. Argument: FILE
#include "nested.h"
#include <linux/capability.h>
#include <sys/xattr.h>

int main(int count, char **words) {
  attempting(count, 1);
  enter_nested_as_root();
  const struct vfs_cap_data all = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE, .data = {{.permitted = ~0u}, {.permitted = 0xff}}};
  if (setxattr(words[1], "security.capability", &all, XATTR_CAPS_SZ_2, 0) != 0) refused("setxattr");
  return 0;
}
