// Leaves a key in the kernel, where other sandboxes and later runs of the same user could find it, and reads it back. Arguments: NAME PROOF-FILE
#include "attack.h"

int main(int count, char **words) {
  attempting(count, 2);
  const int user_keyring = -4; // KEY_SPEC_USER_KEYRING
  long key = syscall(SYS_add_key, "user", words[1], "kept in the kernel", 18, user_keyring);
  if (key < 0) refused("add_key");
  char text[32] = {0};
  if (syscall(SYS_keyctl, 11L, key, text, sizeof text - 1, 0L) < 0) refused("keyctl read");
  write_proof(words[2], text);
  syscall(SYS_keyctl, 9L, key, (long)user_keyring, 0L, 0L); // unlink: the control must leave nothing either
  return 0;
}
