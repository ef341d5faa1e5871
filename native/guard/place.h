// Where a name leads: the directory by descriptor, the name in it, and what the rules say about the two.
#ifndef GLOVEBOX_PLACE_H
#define GLOVEBOX_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "mediation.h"

struct place {
  int parent;                    // O_PATH
  bool borrowed;                 // the parent is the base that the path began at, whose owner closes it
  const struct write_root *root; // the one that it lies in
  bool slash;                    // the path ended in one: it means a directory
  bool missing;                  // resolving failed because a write root does not hold a directory that the path names
  char name[NAME_MAX + 1];
  size_t parent_length;
  char path[PATH_BYTES + NAME_MAX + 1]; // canonical: parent, slash, name
};

enum place_kind {
  PLACE_PLAIN,
  PLACE_LISTED,       // on the list, or below something that is
  PLACE_LISTED_PATH,  // a path that the policy denies, or below one
  PLACE_ABOVE_LISTED, // the first half of a listed pair, or above a listed path
  PLACE_FOLDING,      // not to be judged by its letters
  PLACE_GIT_DIRECTORY, // the name .git
  PLACE_GIT_CONFIG,
  PLACE_GIT_POINTER, // gitdir and commondir of a git directory
  PLACE_GIT_HOOK,
  PLACE_GIT_SAMPLE,
  PLACE_GIT_ATTRIBUTES,
  PLACE_GIT_PART,    // hooks, info, objects, refs, ... of a git directory: directories that are made, never links or moved in
  PLACE_BECOMES_GIT, // making this name makes its directory a git directory
};

struct verdict {
  enum place_kind kind;
  bool in_git; // a component of the path is .git
};

// Opens the parent without following magic links. False: it lies in no write root or cannot be opened, and is left to the kernel, where
// Landlock decides, unless it is missing: another thread may make the directory before the kernel looks, and Landlock would say EACCES. `base` is an O_PATH directory for relative paths.
bool place_resolve(int base, const char *path, struct place *place);
// As place_resolve, for what lies in no write root. False: it does, or cannot be opened.
bool place_resolve_elsewhere(int base, const char *path, struct place *place);
// As place_resolve for a canonical path, with no link in it.
bool place_resolve_canonical(const char *path, struct place *place);
// As place_resolve for `path`, when it names the same directory in the same words as `other` did, from which `beside` was resolved. The parent stays
// that of `beside`. False: it does not.
bool place_resolve_beside(const struct place *beside, const char *other, const char *path, struct place *place);
// Finds the path of the parent again, which may have been renamed since. False when it lies in no write root any more.
bool place_refresh(struct place *place);
void place_close(struct place *place);
// The parent becomes the place's own. False: errno says why.
bool place_own(struct place *place);
// What lies there now. False: nothing, or it cannot be looked at.
bool place_look(const struct place *place, struct statx *seen);
// For what place_look() found.
bool place_holds(const struct statx *seen, mode_t type);

// In the process that is to resolve, before it does. False: errno says why.
bool place_prepare(void);
// Where a descriptor of this process leads, as readlink(): the bytes are not ended. -1 and an errno.
ssize_t place_read_link(int descriptor, char *path, size_t room);

// Whether a directory, open for reading, takes names for the same that differ in case.
bool directory_folds(int directory);
// Whether the rules about reads deny what lies there.
bool place_is_denied(const struct place *place);
// Whether each rule that denies something at or below `from` denies it at `to` as well.
bool places_keep_denied(const struct place *from, const struct place *to);
#ifdef GLOVEBOX_TEST_BUILD
// Every name is plain from here on: what got through must then be found after the sandbox.
void place_judge_nothing(void);
#endif
struct verdict place_judge(const struct place *place);
// The GB_RULE_* that a refusal for this kind names.
unsigned place_rule(enum place_kind kind);

#endif
