// A host process to be attacked: keeps the secret from its standard input in memory, prints where, and waits until its input ends.
// Whatever stands in its arguments and environment is bait as well.
#include "attack.h"

static char secret[256];

int main(void) {
  size_t length = 0;
  while (length < sizeof secret - 1 && read(0, secret + length, 1) == 1 && secret[length] != '\n') length++;
  secret[length] = '\0';
  printf("%lu %zu\n", (unsigned long)secret, length);
  fflush(stdout);
  char ignored;
  while (read(0, &ignored, 1) > 0) continue;
  return 0;
}
