// Shared by the attack programs: say that the attempt begins, write proof where the host can see it, say what was refused.
#ifndef GLOVEBOX_TEST_ATTACK_H
#define GLOVEBOX_TEST_ATTACK_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The harness believes a failed attack only when this line came first.
static inline void attempting(int count, int needed) {
  if (count < needed + 1) {
    fputs("usage: wrong number of arguments\n", stderr);
    exit(2);
  }
  puts("attempting");
  fflush(stdout);
}

__attribute__((noreturn)) static inline void refused(const char *what) {
  int error = errno;
  printf("refused: %s: %s\n", what, strerrorname_np(error));
  exit(1);
}

static inline void write_proof(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) refused("open");
  if (write(fd, text, strlen(text)) < 0) refused("write");
  close(fd);
}

static inline void print_file(const char *path) {
  char text[4096];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) refused("open");
  ssize_t length = read(fd, text, sizeof text);
  if (length < 0) refused("read");
  fwrite(text, 1, (size_t)length, stdout);
  close(fd);
}

static inline void write_file_text(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return; // the map files of /proc refuse in some configurations; what follows shows whether it mattered
  if (write(fd, text, strlen(text)) < 0) perror(path);
  close(fd);
}
#endif
