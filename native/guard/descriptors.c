// The gaps between the kept numbers are closed, each by one call.
#define _GNU_SOURCE
#include "descriptors.h"

#include <sys/syscall.h>
#include <unistd.h>

static void sort(int *numbers, int count) {
  for (int next = 1; next < count; next++) {
    for (int at = next; at > 0 && numbers[at - 1] > numbers[at]; at--) {
      const int swapped = numbers[at];
      numbers[at] = numbers[at - 1];
      numbers[at - 1] = swapped;
    }
  }
}

void descriptors_close_but(int *kept, int count) {
  sort(kept, count);
  unsigned first = 0;
  for (int index = 0; index < count; index++) {
    if (kept[index] < 0) continue;
    const unsigned number = (unsigned)kept[index];
    if (number > first) syscall(SYS_close_range, first, number - 1, 0);
    if (number >= first) first = number + 1;
  }
  syscall(SYS_close_range, first, DESCRIPTOR_LAST, 0);
}

