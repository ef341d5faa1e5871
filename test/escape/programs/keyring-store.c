// Leaves a key in the kernel, where other sandboxes and later runs of the same user could find it, and asks the kernel what it keeps.
// Arguments: NAME PROOF-FILE
#include "attack.h"

int main(int count, char **words) {
  attempting(count, 2);
  const long user_keyring = -4; // KEY_SPEC_USER_KEYRING
  const long unlink_key = 9, describe_key = 6;
  long key = syscall(SYS_add_key, "user", words[1], "kept in the kernel", 18L, user_keyring);
  if (key < 0) refused("add_key");
  char description[256] = {0};
  if (syscall(SYS_keyctl, describe_key, key, description, sizeof description - 1, 0L) < 0) refused("keyctl describe");
  write_proof(words[2], description);
  syscall(SYS_keyctl, unlink_key, key, user_keyring, 0L, 0L); // the control must leave nothing either
  return 0;
}
