// Exchanges a file of the attacker with one outside the write root in one call. Arguments: MINE VICTIM
#include "attack.h"

int main(int count, char **words) {
  attempting(count, 2);
  if (renameat2(AT_FDCWD, words[1], AT_FDCWD, words[2], RENAME_EXCHANGE) != 0) refused("renameat2");
  return 0;
}
