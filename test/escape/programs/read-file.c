// Prints a file; needs nothing of the system around it. Argument: FILE
#include "attack.h"

int main(int count, char **words) {
  attempting(count, 1);
  print_file(words[1]);
  return 0;
}
