// guard probe | guard dial PORT | guard collect COUNT BYTES DIRECTORY ... | guard rescue COUNT BYTES MARKER PLACE... | guard serve [--sandbox=ID] [--processors=N] [--kernel=gvisor] [--without=LAYER,...]
//
// --sandbox only marks the command line, for whoever looks for leftovers. --kernel=gvisor is the form for a kernel that is gVisor's: serve.h. --without exists in the test build alone.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../protocol.h"
#include "collect.h"
#include "dial.h"
#include "place.h"
#include "probe.h"
#include "processors.h"
#include "serve.h"

#define WITHOUT "--without="
#define JUDGEMENT "judgement" // no layer: the mediator stands, and refuses no name
#define SANDBOX "--sandbox="
#define PROCESSORS "--processors="
#define GVISOR "--kernel=gvisor"

static int usage(void) {
  fputs("usage: guard probe | guard dial PORT | guard collect COUNT BYTES DIRECTORY ... | guard rescue COUNT BYTES MARKER PLACE... | guard serve [--sandbox=ID] [--processors=N] [--kernel=gvisor] (as PID 1 of a sandbox, with its channel on descriptor 3, under gVisor 0)\n", stderr);
  return GB_EXIT_USAGE;
}

#ifdef GLOVEBOX_TEST_BUILD
static uint32_t layer_named(const char *name, size_t length) {
  static const struct {
    const char *name;
    uint32_t layer;
  } names[] = {
      {"descriptors", GB_LAYER_DESCRIPTORS}, {"no-new-privs", GB_LAYER_NO_NEW_PRIVS}, {"capabilities", GB_LAYER_CAPABILITIES},
      {"rlimits", GB_LAYER_RLIMITS},         {"landlock", GB_LAYER_LANDLOCK},         {"seccomp", GB_LAYER_SECCOMP},
      {"mediation", GB_LAYER_MEDIATION},     {"all", GB_LAYER_ALL},
  };
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    if (strlen(names[index].name) == length && strncmp(names[index].name, name, length) == 0) return names[index].layer;
  }
  return 0;
}

static int leave_out(const char *list, uint32_t *layers) {
  for (;;) {
    const size_t length = strcspn(list, ",");
    const uint32_t layer = layer_named(list, length);
    if (length == strlen(JUDGEMENT) && strncmp(list, JUDGEMENT, length) == 0) place_judge_nothing();
    else if (layer == 0) return usage();
    *layers &= ~layer;
    if (list[length] == '\0') return 0;
    list += length + 1;
  }
}
#else
static int leave_out(const char *list, uint32_t *layers) {
  (void)list;
  (void)layers;
  fputs("guard: this build leaves no layer out\n", stderr);
  return GB_EXIT_TEST_OPTION;
}
#endif

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "probe") == 0) return guard_probe();
  if (argc == 3 && strcmp(argv[1], "dial") == 0) return guard_dial(argv[2]);
  if (argc > 2 && strcmp(argv[1], "collect") == 0) return guard_collect(argv + 2);
  if (argc > 2 && strcmp(argv[1], "rescue") == 0) return guard_rescue(argv + 2);
  if (argc < 2 || strcmp(argv[1], "serve") != 0) return usage();
  uint32_t layers = GB_LAYER_ALL;
  bool is_gvisor = false;
  for (int index = 2; index < argc; index++) {
    if (strncmp(argv[index], WITHOUT, strlen(WITHOUT)) == 0) {
      const int status = leave_out(argv[index] + strlen(WITHOUT), &layers);
      if (status != 0) return status;
    } else if (strncmp(argv[index], PROCESSORS, strlen(PROCESSORS)) == 0) {
      if (!processors_bind(argv[index] + strlen(PROCESSORS))) return usage();
    } else if (strcmp(argv[index], GVISOR) == 0) {
      is_gvisor = true;
    } else if (strncmp(argv[index], SANDBOX, strlen(SANDBOX)) != 0) {
      return usage();
    }
  }
  if ((layers & GB_LAYER_SECCOMP) == 0) layers &= ~GB_LAYER_MEDIATION; // calls are notified by the filter
  if (getpid() != 1) return usage(); // "signal everything" must never mean a machine
  return is_gvisor ? guard_serve_gvisor(layers) : guard_serve(layers); // the end of PID 1 ends every process of its namespace
}
