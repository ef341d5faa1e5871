// One keeper per command: parent and subreaper of everything the command starts, outside the command's Landlock domain, so that the
// command can neither signal nor outlive it.
#ifndef GLOVEBOX_KEEPER_H
#define GLOVEBOX_KEEPER_H

#include <stdint.h>

#include "errand.h"
#include "wall.h"

#define REPORTS_MAX 3u // in one packet
#define REFUSAL_PATH_BYTES (PATH_BYTES + 256u)

enum report_kind { REPORT_STARTED, REPORT_NOT_STARTED, REPORT_WALL_MISSING, REPORT_EXITED, REPORT_REFUSED, REPORT_REFUSED_TOTAL, REPORT_FILE_LIMIT, REPORT_TREE_GONE };

// Keeper to guard, one or more in a packet.
struct report {
  enum report_kind kind;
  uint32_t first, second; // started: pid; not started: stage, errno; wall: wall, errno; exited: how, value; total: count
  uint64_t user_us, system_us, resident_bytes;
  uint64_t length; // file limit: what was asked for
};

// A REPORT_REFUSED, alone in its packet: the mediator refused a call. Sent without what `path` does not need.
struct refusal_report {
  enum report_kind kind;
  uint32_t call, error, rule;
  char path[REFUSAL_PATH_BYTES];
};

union any_report {
  enum report_kind kind;
  struct report reports[REPORTS_MAX];
  struct refusal_report refusal;
};

enum order_kind { ORDER_SIGNAL, ORDER_KILL_TREE };

// Guard to keeper, one per packet.
struct order {
  enum order_kind kind;
  int signal;
};

// Runs in a fresh process: starts the errand, or, when it is NULL, the one that will come by `socket`, its end of the packet socket. `proc` is a descriptor
// of /proc. Ends when no descendant is left, or when the guard closes the socket before an errand came.
_Noreturn void keeper_run(const struct errand *errand, const struct wall *wall, int socket, int proc);

#endif
