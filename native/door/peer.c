// The peer is who called connect(2). By its pidfd it is known to be that process still after its namespaces were read: a number alone may be
// somebody else's by then.
#define _GNU_SOURCE
#include "peer.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cleanup.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 // Linux 6.5
#endif

static bool shares_namespace(pid_t pid, const char *kind) {
  char theirs_path[64], ours_path[64];
  snprintf(theirs_path, sizeof theirs_path, "/proc/%d/ns/%s", (int)pid, kind);
  snprintf(ours_path, sizeof ours_path, "/proc/self/ns/%s", kind);
  struct stat theirs, ours;
  if (stat(theirs_path, &theirs) != 0 || stat(ours_path, &ours) != 0) return false;
  return theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

pid_t peer_of_ours(int connection) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  // A pid of 0 is a process of another pid namespace.
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != getuid() || peer.pid <= 0) return 0;
  int found = -1;
  size = sizeof found;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &found, &size) != 0) return 0;
  AUTO_CLOSE const int pidfd = found;
  if (!shares_namespace(peer.pid, "user") || !shares_namespace(peer.pid, "pid")) return 0;
  return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0 ? peer.pid : 0;
}
