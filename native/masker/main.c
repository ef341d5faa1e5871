// masker [--sandbox=ID]
//
// Hides, in one sandbox, what a rule denies and a plan could not know: files that match a glob, and denied files that the host replaces.
// Started by the host, with its channel on descriptor 3; never visible inside. --sandbox only marks the command line.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../protocol/bytes.h"
#include "join.h"
#include "mask.h"
#include "places.h"
#include "report.h"
#include "rules.h"
#include "scan.h"
#include "seal.h"
#include "watch.h"

static void read_all(uint8_t *bytes, size_t length) {
  while (length > 0) {
    const ssize_t have = read(CHANNEL_FD, bytes, length);
    if (have < 0 && errno == EINTR) continue;
    if (have <= 0) _exit(0); // the host has thought better of it
    bytes += have;
    length -= (size_t)have;
  }
}

// False after GO.
static bool take_frame(uint32_t *pid) {
  static uint8_t payload[GM_SIZE_FRAME_MAX];
  uint8_t header[GM_SIZE_HEADER];
  read_all(header, sizeof header);
  const uint32_t length = read_u32(header);
  if (length > sizeof payload) give_up(GM_TROUBLE_USAGE, EMSGSIZE, NULL, 0);
  read_all(payload, length);
  bool good = false;
  switch (header[4]) {
    case GM_TYPE_PLACE:
      good = places_add((struct text){payload, length});
      break;
    case GM_TYPE_EXEMPT:
      good = exempt_add((struct text){payload, length});
      break;
    case GM_TYPE_RULE:
      good = length > 1 && rules_add(payload[0], payload + 1, length - 1);
      break;
    case GM_TYPE_UNTOLD:
      good = length == 0;
      scan.takes_untold = true;
      break;
    case GM_TYPE_GO:
      if (length != 4) break;
      *pid = read_u32(payload);
      return false;
    default:
      break;
  }
  if (!good) give_up(GM_TROUBLE_USAGE, EINVAL, NULL, 0);
  return true;
}

static int enter(uint32_t pid, int own_process) {
  const int sandbox = join_sandbox((pid_t)pid, own_process);
  if (sandbox < 0) give_up(GM_TROUBLE_JOIN, errno, NULL, 0);
  const int error = mask_prepare();
  if (error != 0) give_up(GM_TROUBLE_MASK, error, NULL, 0);
  scan.watcher = watch_open();
  return sandbox;
}

int main(void) {
  int error = seal_early();
  if (error != 0) give_up(GM_TROUBLE_SEAL, error, NULL, 0);
  uint32_t pid;
  while (take_frame(&pid)) continue;
  const int own_process = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
  scan.own_files = openat(own_process, "fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int sandbox = pid == 0 ? -1 : enter(pid, own_process);
  error = seal_again();
  if (error == 0) error = seal_calls();
  if (error != 0) give_up(GM_TROUBLE_SEAL, error, NULL, 0);
  const uint64_t start = microseconds();
  scan_everything();
  report_ready((uint32_t)node_count, scan.masks, microseconds() - start);
  if (pid == 0) return 0;
  scan.late = true;
  return watch_forever(sandbox);
}
