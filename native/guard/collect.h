// Files that a task hands back: read where it ran, behind the walls of a command, and by descriptor alone.
#ifndef GLOVEBOX_COLLECT_H
#define GLOVEBOX_COLLECT_H

// Of both: `arguments` end with NULL; returns an exit status.

// collect COUNT BYTES DIRECTORY [LISTED SINCE MARKER PLACE...]: what lies in it, and the content of at most so many regular files and bytes of them
// together. Then what lies in the other places and was changed after SINCE (milliseconds since the epoch), and how much of it after MARKER was.
int guard_collect(char *const *arguments);

// rescue COUNT BYTES MARKER PLACE...: likewise of what lies at or below the places and was changed after MARKER was, by its whole path.
int guard_rescue(char *const *arguments);

#endif
