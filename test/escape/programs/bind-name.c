// Makes a name by binding a unix socket to it. Arguments: PATH
#include "attack.h"
#include <sys/socket.h>
#include <sys/un.h>

int main(int count, char **words) {
  attempting(count, 1);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char *slash = strrchr(words[1], '/');
  if (slash == NULL) return 2;
  *slash = '\0';
  if (chdir(words[1]) != 0) refused("chdir"); // a socket's path is short
  strncpy(address.sun_path, slash + 1, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) refused("socket");
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) refused("bind");
  return 0;
}
