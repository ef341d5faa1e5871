// Nothing is decided here: what is looked at may change before the kernel looks, and then the kernel is right.
#define _GNU_SOURCE
#include "beyond.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../cleanup.h"
#include "mediator.h"

void beyond_report(uint64_t length) {
  struct rlimit own; // the keeper took over what the command was given; what a program lowered for itself is its own affair
  if (getrlimit(RLIMIT_FSIZE, &own) == 0 && length >= own.rlim_cur) mediator_report_file_limit(length);
}

struct answer mediate_beyond(const struct caller *caller, enum beyond beyond, int descriptor, uint64_t place) {
  struct stat status;
  AUTO_CLOSE const int copy = caller_copy_descriptor(caller, descriptor);
  if (place > INT64_MAX || copy < 0 || fstat(copy, &status) != 0 || !S_ISREG(status.st_mode)) return answer_continue();
  const int flags = fcntl(copy, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return answer_continue();
  const bool is_past_end = place >= (uint64_t)status.st_size;
  if (beyond == BEYOND_WRITE || is_past_end) beyond_report(place);
  return answer_continue();
}
