// What /proc and the terminal mean to a caller: the mediator must not lend it eyes of its own.
#ifndef GLOVEBOX_OWN_PROCESS_H
#define GLOVEBOX_OWN_PROCESS_H

#include "answer.h"

// `path` with /proc/self and /proc/thread-self in the caller's own numbers. False: it is too long.
bool name_own_process(const struct caller *caller, const char *given, char path[PATH_BYTES]);
// An O_PATH descriptor of what a link such as /proc/self/exe, /proc/self/fd/3 or /dev/stdin leads to, or -1 when the path names none.
int open_own_link(const struct caller *caller, const char *path);
// Whether a file of /proc is the machine's, belongs to a process of this command, or shows what everybody may know of another.
bool may_see_process_file(int node);
// The caller's controlling terminal, or -1 and an errno.
int own_terminal(const struct caller *caller, int flags);
// Whether a rule denies what a descriptor is of; then *answer is the refusal.
bool may_be_read(int node, struct answer *answer);
// The same for one whose path is known.
bool may_be_read_at(int node, char path[PATH_BYTES], struct answer *answer);

#endif
