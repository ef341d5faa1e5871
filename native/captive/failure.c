// The one line that a program reads.
#define _GNU_SOURCE
#include "failure.h"

#include <stdio.h>
#include <string.h>

int failure(enum captive_step step, int error) {
  static const char *const names[] = {"usage", "identity", "namespaces", "links", "rules", "listeners", "log", "channel", "seal", "parent", "exec"};
  const char *name = strerrorname_np(error);
  fprintf(stderr, "captive: %s %s\n", names[step - STEP_USAGE], name == NULL ? "-" : name);
  return (int)step;
}
