// Connects to a unix socket of the host and says the word. Arguments: stream|dgram|pair path|abstract ADDRESS WORD
// `pair` takes one end of a datagram socketpair and points it at the address.
#include "attack.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static int make_socket(const char *kind) {
  if (strcmp(kind, "pair") == 0) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0) refused("socketpair");
    return ends[0];
  }
  int made = socket(AF_UNIX, (strcmp(kind, "dgram") == 0 ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
  if (made < 0) refused("socket");
  return made;
}

int main(int count, char **words) {
  attempting(count, 4);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t skip = strcmp(words[2], "abstract") == 0 ? 1 : 0;
  size_t length = strlen(words[3]);
  if (length + skip >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    refused("address");
  }
  memcpy(address.sun_path + skip, words[3], length);
  int talker = make_socket(words[1]);
  if (connect(talker, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + skip + length)) != 0) refused("connect");
  if (write(talker, words[4], strlen(words[4])) < 0) refused("write");
  return 0;
}
