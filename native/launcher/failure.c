// The one line that a program reads.
#define _GNU_SOURCE
#include "failure.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *step_name(enum step step) {
  static const char *const names[] = {"usage", "namespace", "stage", "source", "idmap", "attach", "identity", "parent", "exec", "group", "uid", "privacy", "changed"};
  return names[step - STEP_USAGE];
}

static void print_path(const char *path) {
  for (const unsigned char *at = (const unsigned char *)path; *at != '\0'; at++) {
    if (*at > ' ' && *at < 0x7f && *at != '%') fputc(*at, stderr);
    else fprintf(stderr, "%%%02x", *at);
  }
}

int failure(enum step step, const char *path, int error) {
  fprintf(stderr, "launcher: %s ", step_name(step));
  print_path(path == NULL || *path == '\0' ? "-" : path);
  const char *name = strerrorname_np(error);
  fprintf(stderr, " %s\n", name == NULL ? "-" : name);
  return (int)step;
}
