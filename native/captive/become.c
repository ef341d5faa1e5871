// The capabilities are the seal's to drop: a change of uid leaves none in effect, and nothing is executed afterwards.
#define _GNU_SOURCE
#include "become.h"

#include <errno.h>
#include <grp.h>
#include <unistd.h>

int become_watcher(uid_t watcher) {
  if (setgroups(0, NULL) != 0 || setresgid(watcher, watcher, watcher) != 0 || setresuid(watcher, watcher, watcher) != 0) return errno;
  return setresuid(0, 0, 0) == 0 ? EPERM : 0;
}
