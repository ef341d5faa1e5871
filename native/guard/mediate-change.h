// Modes, which are written down in write roots; in strict mode and where namespaces nest also owners, times and attributes: Landlock knows nothing of them. INVARIANT I-04
#ifndef GLOVEBOX_MEDIATE_CHANGE_H
#define GLOVEBOX_MEDIATE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "answer.h"

enum change_kind { CHANGE_MODE, CHANGE_OWNER, CHANGE_TIMES, CHANGE_SET_ATTRIBUTE, CHANGE_REMOVE_ATTRIBUTE };

struct change {
  enum change_kind kind;
  bool names_descriptor; // the call takes a descriptor and no path
  int descriptor;        // that one, or where a relative path starts
  uint64_t path;         // address in the caller
  uint32_t at_flags;     // AT_*
  mode_t mode;
  uid_t owner;
  gid_t group;
  bool is_now; // times: no time was given
  struct timespec times[2];
  uint64_t name, value; // addresses
  size_t size;
  int set_flags; // XATTR_*
};

// Allowed in write roots and in the sandbox's own places; elsewhere EROFS, by a read-only mount, and where all of them are mediated by the mediator too.
// What a rule protects in a write root does not become executable.
struct answer mediate_change(const struct caller *caller, const struct change *change);
// False: the number is no such call's.
bool mediate_change_call(const struct caller *caller, int number, const uint64_t *at, struct answer *answer);

#endif
