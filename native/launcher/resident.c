// One loop: requests, ends of children, and Node's answers to what it was handed, for which nobody waits.
#define _GNU_SOURCE
#include "resident.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cleanup.h"
#include "../shared/node-channel.h"
#include "failure.h"
#include "launch.h"

#define REQUEST_BYTES 16384u
#define REQUEST_WORDS 5
#define LINE_BYTES 128
#define LOW 16 // below, numbers are a child's; ours are above
#define SHORTAGE_MS 100

enum { LAYOUT, TEXT, CONTROL, ENDS };

struct member {
  pid_t pid;
  unsigned set;
};

struct resident {
  int requests, channel, signals;
  int ends[ENDS]; // a child's half of the next set
  unsigned next; // the set
  bool is_wanted[ENDS]; // Node does not have it, and it is not on its way
  int unanswered[2 * ENDS]; // on its way, in the order in which Node answers
  size_t sent;
  struct node_answers answers;
  bool is_short;
  struct member *members;
  size_t count;
  char *room;
};

static bool tell(const struct resident *self, const char *line) {
  return node_send(self->channel, line, -1, 0) == 0;
}

// Below LOW every number is taken, so that whatever is opened later lies above.
static bool move_up(int *descriptor) {
  *descriptor = fcntl(*descriptor, F_DUPFD_CLOEXEC, LOW);
  return *descriptor >= LOW;
}

static bool take_descriptors(struct resident *self) {
  if (syscall(SYS_close_range, self->ends[CONTROL] + 1, ~0u, 0) != 0) return false; // a caller's, that Node was started with
  if (!move_up(&self->requests) || !move_up(&self->channel)) return false;
  for (int end = 0; end < ENDS; end++) {
    if (!move_up(&self->ends[end])) return false;
  }
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int number = 0; nothing >= 0 && number < LOW; number++) {
    if (number != nothing && dup3(nothing, number, O_CLOEXEC) < 0) return false;
  }
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  if (nothing < 0 || sigprocmask(SIG_BLOCK, &ends, NULL) != 0) return false;
  self->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  return self->signals >= 0;
}

// Node has none of it yet. Returns 0 or an errno.
static int offer_end(struct resident *self, int end) {
  static const char *const names[ENDS] = {"layout", "text", "control"};
  int pair[2];
  char line[LINE_BYTES];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return errno;
  AUTO_CLOSE const int theirs = pair[1];
  snprintf(line, sizeof line, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Socket\",\"msg\":{\"set\":%u,\"end\":\"%s\"}}\n", self->next, names[end]);
  const int error = fcntl(theirs, F_SETFL, O_NONBLOCK) == 0 ? node_send(self->channel, line, theirs, 0) : errno;
  if (error == 0) self->ends[end] = pair[0];
  else close(pair[0]);
  return error;
}

// Told once, until all of it is on its way again. Whoever waits for the set takes another way.
static bool go_short(struct resident *self) {
  char line[LINE_BYTES];
  snprintf(line, sizeof line, "{\"short\":%u}\n", self->next);
  const bool is_told = self->is_short || tell(self, line);
  self->is_short = true;
  return is_told;
}

// Other programs of the same user may have used up what the kernel gives him, and a sandbox is one: that ends nobody else's sandbox.
static bool offer_rest(struct resident *self) {
  for (int end = 0; end < ENDS; end++) {
    if (!self->is_wanted[end]) continue;
    if (self->sent == sizeof self->unanswered / sizeof *self->unanswered) return false; // it asks, and does not answer
    const int error = offer_end(self, end);
    if (error != 0) return node_is_shortage(error) && go_short(self);
    self->is_wanted[end] = false;
    self->unanswered[self->sent++] = end;
  }
  self->is_short = false;
  return true;
}

static bool offer_next(struct resident *self) {
  self->next++;
  for (int end = 0; end < ENDS; end++) self->is_wanted[end] = true;
  return offer_rest(self);
}

// A process without a free descriptor gets the words of a message and not what came with it: Node then answers so, and the end has to come again.
static bool hear_answers(struct resident *self, bool *is_lost) {
  if (node_receive(self->channel, &self->answers) != 0) return false;
  for (enum node_answer answer = node_next_answer(&self->answers); answer != NODE_SILENT; answer = node_next_answer(&self->answers)) {
    if (answer == NODE_STRANGE || self->sent == 0) return false;
    const int end = self->unanswered[0];
    memmove(self->unanswered, self->unanswered + 1, --self->sent * sizeof *self->unanswered);
    if (answer == NODE_HAS_IT) continue;
    close(self->ends[end]);
    self->is_wanted[end] = *is_lost = true;
  }
  return !*is_lost || go_short(self);
}

static bool take_file(const char *path, int flags, int number) {
  if (*path == '\0') return true;
  const int file = open(path, flags | O_NOFOLLOW);
  if (file == number) return true;
  return file >= 0 && dup2(file, number) == number && close(file) == 0;
}

// What a launcher of its own would have been started with, and nothing else.
static bool become_child(const struct resident *self, char *const *words) {
  sigset_t none;
  sigemptyset(&none);
  memset(self->room, 0, strlen(self->room));
  stpcpy(self->room, words[2]);
  for (int number = 0; number < LOW; number++) {
    if (number != STDOUT_FILENO) close(number);
  }
  if (fcntl(STDOUT_FILENO, F_SETFD, 0) != 0 || dup2(self->ends[LAYOUT], STDIN_FILENO) < 0) return false;
  if (dup2(self->ends[TEXT], STDERR_FILENO) < 0 || dup2(self->ends[CONTROL], 3) < 0) return false;
  if (!take_file(words[3], O_WRONLY, 4) || !take_file(words[4], O_RDWR, 5)) return false;
  if (syscall(SYS_close_range, LOW, ~0u, 0) != 0 || setsid() < 0) return false;
  return sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

static bool remember(struct resident *self, pid_t pid) {
  struct member *more = reallocarray(self->members, self->count + 1, sizeof *more);
  if (more == NULL) return false;
  self->members = more;
  more[self->count++] = (struct member){pid, self->next};
  return true;
}

static bool start(struct resident *self, char *const *words) {
  char line[LINE_BYTES];
  if (strlen(words[2]) > strlen(self->room)) return false;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) _exit(become_child(self, words) ? launch(parent) : failure(STEP_USAGE, NULL, errno));
  if (pid < 0) snprintf(line, sizeof line, "{\"ended\":%u,\"error\":\"%s\"}\n", self->next, strerrorname_np(errno));
  else snprintf(line, sizeof line, "{\"started\":%u,\"pid\":%d}\n", self->next, pid);
  if (pid > 0 && !remember(self, pid)) return false;
  for (int end = 0; end < ENDS; end++) close(self->ends[end]);
  return tell(self, line) && offer_next(self);
}

static void end(const struct resident *self, unsigned long set) {
  for (size_t index = 0; index < self->count; index++) {
    if (self->members[index].set == set) kill(self->members[index].pid, SIGKILL); // not reaped yet: the number is still its
  }
}

static bool reap(struct resident *self) {
  struct signalfd_siginfo told;
  while (read(self->signals, &told, sizeof told) == sizeof told) continue;
  for (pid_t pid = waitpid(-1, NULL, WNOHANG); pid > 0; pid = waitpid(-1, NULL, WNOHANG)) {
    for (size_t index = 0; index < self->count; index++) {
      if (self->members[index].pid != pid) continue;
      char line[LINE_BYTES];
      snprintf(line, sizeof line, "{\"ended\":%u}\n", self->members[index].set);
      self->members[index] = self->members[--self->count];
      if (!tell(self, line)) return false;
      break;
    }
  }
  return true;
}

static bool read_exactly(int from, void *bytes, size_t length) {
  for (size_t have = 0; have < length;) {
    const ssize_t got = read(from, (char *)bytes + have, length - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += (size_t)got;
  }
  return true;
}

// Whoever does not keep to the form is not the broker that we know: the end.
static bool serve_request(struct resident *self) {
  static char bytes[REQUEST_BYTES];
  uint32_t length;
  if (!read_exactly(self->requests, &length, sizeof length) || length == 0 || length > sizeof bytes) return false;
  if (!read_exactly(self->requests, bytes, length) || bytes[length - 1] != '\0') return false;
  char *words[REQUEST_WORDS];
  size_t count = 0;
  for (char *at = bytes; at < bytes + length && count < REQUEST_WORDS; at += strlen(at) + 1) words[count++] = at;
  if (count == 2 && strcmp(words[0], "kill") == 0) {
    end(self, strtoul(words[1], NULL, 10));
    return true;
  }
  if (count != REQUEST_WORDS || strcmp(words[0], "open") != 0 || strtoul(words[1], NULL, 10) != self->next) return false;
  for (int end = 0; end < ENDS; end++) {
    if (self->is_wanted[end]) return false;
  }
  return start(self, words);
}

int resident_serve(char *room) {
  struct resident self = {.requests = STDIN_FILENO, .channel = 3, .ends = {4, 5, 6}, .room = room};
  clearenv(); // Node's word about its channel
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || !take_descriptors(&self)) return failure(STEP_USAGE, NULL, errno);
  bool goes_on = true;
  while (goes_on) {
    struct pollfd waits[] = {{self.requests, POLLIN, 0}, {self.signals, POLLIN, 0}, {self.channel, POLLIN, 0}};
    if (poll(waits, 3, self.is_short ? SHORTAGE_MS : -1) < 0 && errno != EINTR) break;
    if (waits[1].revents != 0) goes_on = reap(&self);
    bool is_lost = false;
    if (goes_on && waits[2].revents != 0) goes_on = hear_answers(&self, &is_lost);
    if (goes_on && waits[0].revents != 0) goes_on = serve_request(&self);
    if (goes_on && self.is_short && !is_lost) goes_on = offer_rest(&self);
  }
  return 0;
}
