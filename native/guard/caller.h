// The thread whose call is mediated: its memory, its directories, its umask. Every word of it is hostile, and may change while we look.
#ifndef GLOVEBOX_CALLER_H
#define GLOVEBOX_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../protocol/message.h"

struct caller {
  int listener;
  uint64_t id; // of the notification
  pid_t thread;
};

// Copies a path or link target once. 0, or an errno.
int caller_read_path(const struct caller *caller, uint64_t address, char path[PATH_BYTES]);
bool caller_read(const struct caller *caller, uint64_t address, void *into, size_t length);
// Where a path starts for the caller: *rest is absolute when *base is -1, else relative to that O_PATH descriptor. /proc/self is the caller's own.
// False: the directory that `directory` (a number or AT_FDCWD) means cannot be opened, or has no need to be: the path cannot be followed.
bool caller_start(const struct caller *caller, int directory, const char *path, int *base, const char **rest);
// From now on a caller may have another root directory than the mediator: none of its paths can be followed then.
void caller_may_have_root(void);
bool caller_root_may_differ(void);
// A copy of the thread's descriptor, or -1 and an errno.
int caller_copy_descriptor(const struct caller *caller, int descriptor);
// An O_PATH descriptor for what `directory` (a number or AT_FDCWD) means to the caller, or -1.
int caller_open_directory(const struct caller *caller, int directory);
// An O_PATH descriptor of the caller's descriptor that a path such as /dev/stdout or /proc/self/fd/3 names, or -1 when it names none.
int caller_open_named_descriptor(const struct caller *caller, const char *path);
// False when the caller is gone. For umasks.c.
bool caller_look_up_umask(const struct caller *caller, mode_t *mask);
// The number of the thread's process, or -1.
pid_t caller_process(const struct caller *caller);
// True while the caller waits for this answer, so that what was read belongs to it and to no later owner of its number.
bool caller_waits(const struct caller *caller);
uint64_t caller_file_size_limit(const struct caller *caller);

#endif
