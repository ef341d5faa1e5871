// A file handle as text, so that it can travel as an argument: TYPE:HEX.
#ifndef GLOVEBOX_TEST_FILE_HANDLE_H
#define GLOVEBOX_TEST_FILE_HANDLE_H
#include "attack.h"

union any_handle {
  struct file_handle handle;
  unsigned char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
};

static inline void print_handle(const union any_handle *any) {
  printf("%d:", any->handle.handle_type);
  for (unsigned at = 0; at < any->handle.handle_bytes; at++) printf("%02x", any->handle.f_handle[at]);
  putchar('\n');
}

static inline void parse_handle(const char *text, union any_handle *any) {
  char *hex;
  any->handle.handle_type = (int)strtol(text, &hex, 10);
  unsigned length = 0;
  for (hex++; hex[0] != '\0' && hex[1] != '\0' && length < MAX_HANDLE_SZ; hex += 2) {
    char pair[3] = {hex[0], hex[1], '\0'};
    any->handle.f_handle[length++] = (unsigned char)strtoul(pair, NULL, 16);
  }
  any->handle.handle_bytes = length;
}
#endif
