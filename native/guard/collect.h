// Files that a task hands back: read where it ran, behind the walls of a command, and by descriptor alone.
#ifndef GLOVEBOX_COLLECT_H
#define GLOVEBOX_COLLECT_H

// collect COUNT BYTES DIRECTORY: what lies in it, and the content of at most so many regular files and bytes of them together. `arguments` end with
// NULL. Returns an exit status.
int guard_collect(char *const *arguments);

#endif
