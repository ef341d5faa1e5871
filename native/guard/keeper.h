// One keeper per command: parent and subreaper of everything the command starts, outside the command's Landlock domain, so that the
// command can neither signal nor outlive it.
#ifndef GLOVEBOX_KEEPER_H
#define GLOVEBOX_KEEPER_H

#include <stdint.h>
#include <sys/types.h>

#include "child.h"

enum report_kind { REPORT_STARTED, REPORT_NOT_STARTED, REPORT_WALL_MISSING, REPORT_EXITED };

// Keeper to guard, one per packet.
struct report {
  enum report_kind kind;
  uint32_t first, second; // started: pid; not started: stage, errno; wall: wall, errno; exited: how, value
  uint64_t user_us, system_us, resident_bytes;
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
