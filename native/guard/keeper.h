// One keeper per command: parent and subreaper of everything the command starts, outside the command's Landlock domain, so that the
// command can neither signal nor outlive it.
#ifndef GLOVEBOX_KEEPER_H
#define GLOVEBOX_KEEPER_H

#include <stdint.h>
#include <sys/types.h>

#include "child.h"

#define REFUSAL_PATH_BYTES (PATH_BYTES + 256u)

enum report_kind { REPORT_STARTED, REPORT_NOT_STARTED, REPORT_WALL_MISSING, REPORT_EXITED, REPORT_REFUSED, REPORT_REFUSED_TOTAL, REPORT_FILE_LIMIT };

// Keeper to guard, one per packet.
struct report {
  enum report_kind kind;
  uint32_t first, second; // started: pid; not started: stage, errno; wall: wall, errno; exited: how, value; total: count
  uint64_t user_us, system_us, resident_bytes;
  uint64_t length; // file limit: what was asked for
};

// A REPORT_REFUSED: the mediator refused a call. Sent without what `path` does not need.
struct refusal_report {
  enum report_kind kind;
  uint32_t call, error, rule;
  char path[REFUSAL_PATH_BYTES];
};

union any_report {
  enum report_kind kind;
  struct report report;
  struct refusal_report refusal;
};

enum order_kind { ORDER_SIGNAL, ORDER_KILL_TREE };

// Guard to keeper, one per packet.
struct order {
  enum order_kind kind;
  int signal;
};

// Runs in a fresh process. `socket` is its end of the packet socket, `proc` a descriptor of /proc. Ends when no descendant is left.
_Noreturn void keeper_run(const struct child_plan *plan, int socket, int proc);

#endif
