// launcher [--sandbox=ID] < LAYOUT
// launcher --resident ROOM
//
// Lays out what a sandbox sees of the host, below a staging directory in a mount namespace of its own, and becomes the command that the layout
// names (normally bubblewrap, which takes the view with one mount). Half of it goes on meanwhile: what the layout says after the command
// appears in the view wherever that is shown by then. Started as root the layout also names an allocated uid that owns nothing on the host:
// the command gets it, and what it is to own appears to be its. Open descriptors are passed on as they are.
// --sandbox only marks the command line, for whoever looks for leftovers. The operations: docs/formats.md.
// With --resident it stays, and forks for each sandbox; the words of ROOM are room for the mark (resident.h).
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "launch.h"
#include "resident.h"

#define SANDBOX "--sandbox="

int main(int argc, char **argv) {
  const pid_t parent = getppid();
  if (argc == 3 && strcmp(argv[1], "--resident") == 0) return resident_serve(argv[2]);
  if (argc > 2 || (argc == 2 && strncmp(argv[1], SANDBOX, strlen(SANDBOX)) != 0)) return failure(STEP_USAGE, NULL, EINVAL);
  return launch(parent);
}
