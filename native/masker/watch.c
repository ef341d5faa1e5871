// Notices in, masks out. Lost notices mean that everything is looked at again, with a new instance: no old watch is left over.
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../protocol/bytes.h"
#include "deny.h"
#include "report.h"
#include "scan.h"

#define NOTICE_BYTES 65536
#define NOTICE_LONGEST 512 // more than the longest name and what is in front of it

// The directory of the last notices: many files appear in one.
static struct {
  const struct node *node;
  int fd;
} last = {NULL, -1};

static void close_last(void) {
  if (last.fd >= 0) close(last.fd);
  last.node = NULL;
  last.fd = -1;
}

static int open_directory(const struct node *node) {
  if (last.node == node && last.fd >= 0) return last.fd;
  close_last();
  last.fd = node_open(node);
  last.node = node;
  return last.fd;
}

int watch_open(void) {
  const int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd < 0) give_up(errno == EMFILE ? GM_TROUBLE_INSTANCES : GM_TROUBLE_SCAN, errno, NULL, 0);
  return fd;
}

static void look_again(void) {
  report_behind();
  close_last();
  node_remove_all();
  close(scan.watcher);
  scan.watcher = watch_open();
  scan_everything();
}

static void forget_watch(int watch) {
  close_last();
  for (struct node *node = node_of_watch(watch); node != NULL; node = node_of_watch(watch)) deny_forget(node);
}

static void take_name(struct node *node, const struct inotify_event *event) {
  const struct text name = {(const uint8_t *)event->name, strlen(event->name)};
  if ((event->mask & IN_ISDIR) != 0) close_last(); // nodes may go
  if ((event->mask & IN_MOVED_FROM) != 0) {
    struct node *gone = node_find(node, name);
    if (gone != NULL) deny_forget(gone);
    return;
  }
  const int fd = open_directory(node);
  if (fd < 0) return; // the directory has another name by now, of which a notice comes, or is gone
  scan_name(node, fd, name);
}

static struct node *nth_of_watch(int watch, size_t index) {
  struct node *node = node_of_watch(watch);
  while (node != NULL && (index > 0 || node->watch != watch)) {
    if (node->watch == watch) index--;
    node = node->next_of_watch;
  }
  return node;
}

// False: notices were lost.
static bool take(const struct inotify_event *event) {
  if ((event->mask & IN_Q_OVERFLOW) != 0) return false;
  if ((event->mask & IN_IGNORED) != 0) {
    forget_watch(event->wd);
    return true;
  }
  if (event->len == 0) return true;
  // By number, since a look at one of them may remove others.
  for (size_t index = 0;; index++) {
    struct node *node = nth_of_watch(event->wd, index);
    if (node == NULL) return true;
    take_name(node, event);
  }
}

// False: there are none.
static bool take_notices(void) {
  static _Alignas(struct inotify_event) char bytes[NOTICE_BYTES];
  scan.since = microseconds();
  const ssize_t have = read(scan.watcher, bytes, sizeof bytes);
  if (have < 0 && errno == EAGAIN) return false;
  if (have < 0 && errno == EINTR) return true;
  if (have < 0) give_up(GM_TROUBLE_SCAN, errno, NULL, 0);
  for (ssize_t at = 0; at < have;) {
    const struct inotify_event *event = (const struct inotify_event *)(void *)(bytes + at);
    at += (ssize_t)(sizeof *event + event->len);
    if (take(event)) continue;
    look_again(); // the rest is older than that look
    break;
  }
  close_last();
  return true;
}

// A notice is in the queue before the call that it is about returns: one round takes all that the host did before it asked. Somebody inside
// could make notices without end, so it is one queue's length and no more. False: the host is gone.
static bool settle(void) {
  uint8_t header[GM_SIZE_HEADER];
  size_t have = 0;
  while (have < sizeof header) {
    const ssize_t got = read(CHANNEL_FD, header + have, sizeof header - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += (size_t)got;
  }
  if (header[4] != GM_TYPE_SETTLE || read_u32(header) != 0) give_up(GM_TROUBLE_USAGE, EINVAL, NULL, 0);
  int left = 0;
  if (ioctl(scan.watcher, FIONREAD, &left) != 0) give_up(GM_TROUBLE_SCAN, errno, NULL, 0);
  for (; left > 0; left -= NOTICE_BYTES - NOTICE_LONGEST) {
    if (!take_notices()) break;
  }
  report_settled();
  return true;
}

int watch_forever(int sandbox) {
  for (;;) {
    struct pollfd waits[] = {{scan.watcher, POLLIN, 0}, {CHANNEL_FD, POLLIN, 0}, {sandbox, POLLIN, 0}};
    const int ready = ppoll(waits, 3, NULL, NULL);
    if (ready < 0 && errno != EINTR) give_up(GM_TROUBLE_SCAN, errno, NULL, 0);
    if (ready <= 0) continue;
    if (waits[2].revents != 0) return 0; // nobody is there any more whom a mask could serve
    if (waits[1].revents != 0 && !settle()) return 0;
    if (waits[0].revents != 0) take_notices();
  }
}
