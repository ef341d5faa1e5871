// Looks at directories: watches each, and masks what a rule denies.
#ifndef GLOVEBOX_MASKER_SCAN_H
#define GLOVEBOX_MASKER_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tree.h"

struct scan {
  int watcher;      // inotify; -1: only look, mask nothing
  int own_files;    // /proc/self/fd as it was before the sandbox's namespaces were joined
  bool late;        // the first command may run already
  bool takes_untold; // a file system that tells of no change is no trouble
  uint64_t since;   // when the kernel's notice was taken, microseconds
  uint32_t masks;
};

extern struct scan scan;

uint64_t microseconds(void);
// Every place from its top; what was there before is kept.
void scan_everything(void);
// A directory outside the rules, in which the target of a link lies; looked at before the scan that found the link is over.
void scan_parent(struct text directory);
// One name that appeared. `fd`: its directory.
void scan_name(struct node *directory, int fd, struct text name);

#endif
