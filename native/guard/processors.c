// Takes processors from the set that the guard was given, one after another from a random one on.
#define _GNU_SOURCE
#include "processors.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>

#define COUNT_MAX 1024

static bool parse_count(const char *text, long *count) {
  char *end;
  errno = 0;
  *count = strtol(text, &end, 10);
  return errno == 0 && *end == '\0' && *text >= '1' && *text <= '9' && *count <= COUNT_MAX;
}

bool processors_bind(const char *text) {
  long count;
  cpu_set_t given;
  cpu_set_t chosen;
  unsigned first;
  if (!parse_count(text, &count) || sched_getaffinity(0, sizeof given, &given) != 0) return false;
  if (getrandom(&first, sizeof first, 0) != (ssize_t)sizeof first) return false;
  CPU_ZERO(&chosen);
  for (unsigned step = 0; step < CPU_SETSIZE && CPU_COUNT(&chosen) < count; step++) {
    const unsigned processor = (first + step) % CPU_SETSIZE;
    if (CPU_ISSET(processor, &given)) CPU_SET(processor, &chosen);
  }
  return sched_setaffinity(0, sizeof chosen, &chosen) == 0;
}
