// A host-side peer, not an attack: receives one datagram on a unix socket and writes it into a file. Arguments: SOCKET FILE
#include "attack.h"
#include <sys/socket.h>
#include <sys/un.h>

int main(int count, char **words) {
  if (count < 3) return 2;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[1]);
  int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0) refused("bind");
  chmod(words[1], 0666);
  puts("ready");
  fflush(stdout);
  char text[256] = {0};
  if (read(listener, text, sizeof text - 1) < 0) refused("read");
  write_proof(words[2], text);
  puts("received");
  return 0;
}
