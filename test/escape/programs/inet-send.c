// Sends a word to an address by hand-made sockets. Arguments: tcp|udp ADDRESS PORT WORD
#include "attack.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static socklen_t fill_address(struct sockaddr_storage *storage, const char *address, unsigned short port) {
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, address, &four.sin_addr) == 1) {
    memcpy(storage, &four, sizeof four);
    return sizeof four;
  }
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  if (inet_pton(AF_INET6, address, &six.sin6_addr) != 1) refused("address");
  memcpy(storage, &six, sizeof six);
  return sizeof six;
}

int main(int count, char **words) {
  attempting(count, 4);
  struct sockaddr_storage storage = {0};
  socklen_t length = fill_address(&storage, words[2], (unsigned short)atoi(words[3]));
  int talker = socket(storage.ss_family, (strcmp(words[1], "tcp") == 0 ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
  if (talker < 0) refused("socket");
  if (connect(talker, (struct sockaddr *)&storage, length) != 0) refused("connect");
  if (write(talker, words[4], strlen(words[4])) < 0) refused("write");
  return 0;
}
