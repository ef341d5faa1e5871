// The fuzzer's way into what the captive network's program reads of a refused packet: any bytes.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../../native/captive/packet.h"

#define MUST(condition) \
  do { \
    if (!(condition)) abort(); \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What is told goes into a line of JSON as it is.
static void check_words(const struct packet *packet) {
  const size_t length = strnlen(packet->destination, sizeof packet->destination);
  MUST(length >= 2 && length < sizeof packet->destination);
  MUST(strspn(packet->destination, "0123456789abcdef:.") == length);
  MUST(packet->has_ports || (packet->source_port == 0 && packet->destination_port == 0));
}

// In memory of its own size, so that nothing may be read past it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *bytes = malloc(size == 0 ? 1 : size);
  struct packet packet;
  MUST(bytes != NULL);
  if (size > 0) memcpy(bytes, data, size);
  if (packet_read(bytes, size, &packet)) check_words(&packet);
  free(bytes);
  return 0;
}
