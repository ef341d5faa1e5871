// Opens a performance counter, one of the kernel's most often broken doors, and reads it. Argument: PROOF-FILE
#include "attack.h"
#include <linux/perf_event.h>

int main(int count, char **words) {
  attempting(count, 1);
  struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attributes, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1, .exclude_hv = 1};
  int counter = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
  if (counter < 0) refused("perf_event_open");
  unsigned long long value = 0;
  if (read(counter, &value, sizeof value) != sizeof value) refused("read");
  write_proof(words[1], "counted");
  return 0;
}
