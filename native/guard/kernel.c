// One word for the guard and all that it forks.
#include "kernel.h"

static bool is_gvisor;

void kernel_be_gvisor(void) {
  is_gvisor = true;
}

bool kernel_is_gvisor(void) {
  return is_gvisor;
}
