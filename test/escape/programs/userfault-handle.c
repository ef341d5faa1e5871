// Takes over the handling of its own page faults, the usual tool for winning races in the kernel. Argument: PROOF-FILE
#include "attack.h"
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

int main(int count, char **words) {
  attempting(count, 1);
  int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
  if (faults < 0) refused("userfaultfd");
  struct uffdio_api api = {.api = UFFD_API};
  if (ioctl(faults, UFFDIO_API, &api) != 0) refused("UFFDIO_API");
  write_proof(words[1], "handled");
  return 0;
}
