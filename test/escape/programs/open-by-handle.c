// Opens a file by its handle, past every name, mount and permission on the way; handles can be guessed from inode numbers.
// Arguments: ANY-FILE-OF-THE-SAME-FILE-SYSTEM HANDLE
#include "file-handle.h"

int main(int count, char **words) {
  attempting(count, 2);
  int anchor = open(words[1], O_RDONLY | O_CLOEXEC);
  if (anchor < 0) refused("open anchor");
  union any_handle any = {0};
  parse_handle(words[2], &any);
  int file = open_by_handle_at(anchor, &any.handle, O_RDONLY | O_CLOEXEC);
  if (file < 0) refused("open_by_handle_at");
  char text[4096];
  ssize_t length = read(file, text, sizeof text);
  if (length < 0) refused("read");
  fwrite(text, 1, (size_t)length, stdout);
  return 0;
}
