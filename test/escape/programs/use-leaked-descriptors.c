// Uses every descriptor above the standard three that it was started with: reads them all, or writes a word to them all. Argument: read|write
#include "attack.h"

int main(int count, char **words) {
  attempting(count, 1);
  char text[4096];
  for (int number = 3; number < 1024; number++) {
    if (strcmp(words[1], "write") == 0) {
      if (pwrite(number, "changed", 7, 0) > 0) printf("wrote to %d\n", number);
      continue;
    }
    ssize_t length = pread(number, text, sizeof text, 0);
    if (length > 0) fwrite(text, 1, (size_t)length, stdout);
  }
  return 0;
}
