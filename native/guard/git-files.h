// What git trusts is written by the mediator alone: read once, checked, and put in place as a fresh file that no open descriptor reaches.
#ifndef GLOVEBOX_GIT_FILES_H
#define GLOVEBOX_GIT_FILES_H

#include <sys/types.h>

#include "place.h"

#define GIT_REFUSED (-1) // by a rule; everything else is 0 or an errno

// Each commits under the exclusive lock. `replace` false: the name must not exist yet.
// A configuration or pointer file that lies at `from` becomes the one at `to`; `from` is removed.
int git_move_config(const struct place *from, const struct place *to, bool replace);
int git_move_pointer(const struct place *from, const struct place *to, bool replace);
// A pointer file with this content is made at `to`.
int git_write_pointer(const struct place *to, const char *content, size_t length, mode_t mode, bool replace);
// Checks a directory that is about to become a git directory, and renews the files in it that git trusts.
int git_check_directory(int directory);

#endif
