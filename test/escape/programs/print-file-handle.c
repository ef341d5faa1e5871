// A host-side helper, not an attack: prints the handle of a file. Argument: FILE
#include "file-handle.h"

int main(int count, char **words) {
  if (count < 2) return 2;
  union any_handle any = {.handle = {.handle_bytes = MAX_HANDLE_SZ}};
  int mount;
  if (name_to_handle_at(AT_FDCWD, words[1], &any.handle, &mount, 0) != 0) refused("name_to_handle_at");
  print_handle(&any);
  return 0;
}
