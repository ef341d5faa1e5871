// The rules about names. Git's are about structure: a directory is git's because it is called .git, lies below one, or holds what makes
// git take it for one. Letters count in either case, because the project may be used on a file system that does not tell them apart.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cleanup.h"
#include "place.h"
#include "read-rules.h"

#define GET_FLAGS _IOR('f', 1, long)
#define FLAG_CASEFOLD 0x40000000l

// What the components of a path say, from the write root down.
struct walk {
  bool listed, git;
  bool loose; // below objects, refs or logs of a git directory, where names are branches and the like
  bool hooks, info;
  bool remotes; // below remotes or branches of a git directory: configuration of an older form
};

static bool is(const char *name, size_t length, const char *word) {
  return strlen(word) == length && strncasecmp(name, word, length) == 0;
}

static bool is_one_of(const char *name, const char *const words[]) {
  for (; *words != NULL; words++) {
    if (is(name, strlen(name), *words)) return true;
  }
  return false;
}

static void step(struct walk *walk, const char *name, size_t length) {
  if (is(name, length, ".git")) {
    *walk = (struct walk){.listed = walk->listed, .git = true};
    return;
  }
  if (!walk->git || walk->loose) return;
  walk->info = is(name, length, "info");
  if (is(name, length, "hooks")) walk->hooks = true;
  if (is(name, length, "remotes") || is(name, length, "branches")) walk->remotes = true;
  if (is(name, length, "objects") || is(name, length, "refs") || is(name, length, "logs")) walk->loose = true;
}

// The part of the path that counts: from the last component of the write root itself, which may be the first half of a pair.
static struct walk walk_parent(const struct place *place, const char **above, size_t *above_length) {
  struct walk walk = {0};
  const char *end = place->path + place->parent_length;
  const char *at = place->path + place->root->length;
  const char *base = memrchr(place->path, '/', place->root->length);
  *above = base + 1;
  *above_length = (size_t)(at - *above);
  while (at < end) {
    at++;
    const char *next = memchr(at, '/', (size_t)(end - at));
    if (next == NULL) next = end;
    const size_t length = (size_t)(next - at);
    if (mediation_lists(*above, *above_length, at, length)) walk.listed = true;
    step(&walk, at, length);
    *above = at;
    *above_length = length;
    at = next;
  }
  return walk;
}

static bool has(int directory, const char *name) {
  struct stat status;
  return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// Whether git takes `directory` for a git directory, once it also holds `made`. In the loose part a remote's HEAD lies beside branches of any
// name, so that HEAD alone says nothing there.
static bool is_git(int directory, bool loose, const char *made) {
  const bool head = is(made, strlen(made), "HEAD") || has(directory, "HEAD");
  const bool objects = is(made, strlen(made), "objects") || has(directory, "objects");
  if (objects && (is(made, strlen(made), "refs") || has(directory, "refs"))) return true;
  if (!loose) return head;
  return head && (objects || is(made, strlen(made), "commondir") || has(directory, "commondir"));
}

static enum place_kind kind_in_git(const char *name) {
  static const char *const configs[] = {"config", "config.worktree", NULL};
  static const char *const pointers[] = {"gitdir", "commondir", NULL};
  static const char *const parts[] = {"hooks", "info", "modules", "worktrees", "objects", "refs", "logs", NULL};
  if (is_one_of(name, configs)) return PLACE_GIT_CONFIG;
  if (is_one_of(name, pointers)) return PLACE_GIT_POINTER;
  return is_one_of(name, parts) ? PLACE_GIT_PART : PLACE_PLAIN;
}

static enum place_kind kind_in_hooks(const char *name) {
  static const char ending[] = ".sample";
  const size_t length = strlen(name);
  const size_t end = sizeof ending - 1;
  return length > end && strcmp(name + length - end, ending) == 0 ? PLACE_GIT_SAMPLE : PLACE_GIT_HOOK;
}

// hooks/x, info/attributes, remotes/x and branches/x of a git directory that only its structure makes one.
static enum place_kind kind_in_part(const struct place *place, const char *above, size_t above_length, bool loose) {
  const bool hooks = is(above, above_length, "hooks");
  const bool remotes = is(above, above_length, "remotes") || is(above, above_length, "branches");
  const bool attributes = is(above, above_length, "info") && strcasecmp(place->name, "attributes") == 0;
  if (!hooks && !remotes && !attributes) return PLACE_PLAIN;
  AUTO_CLOSE const int up = openat(place->parent, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (up >= 0 && !is_git(up, loose, "")) return PLACE_PLAIN;
  return hooks ? kind_in_hooks(place->name) : PLACE_GIT_ATTRIBUTES;
}

static enum place_kind kind_by_structure(const struct place *place, const char *above, size_t above_length, bool loose) {
  static const char *const makers[] = {"HEAD", "objects", "refs", "commondir", NULL};
  const enum place_kind kind = kind_in_git(place->name);
  const bool makes = is_one_of(place->name, makers);
  if (kind != PLACE_PLAIN || makes) {
    if (is_git(place->parent, loose, "")) return kind;
    if (makes && is_git(place->parent, loose, place->name)) return PLACE_BECOMES_GIT;
  }
  return kind_in_part(place, above, above_length, loose);
}

bool directory_folds(int directory) {
  long flags = 0;
  return ioctl(directory, GET_FLAGS, &flags) == 0 && (flags & FLAG_CASEFOLD) != 0;
}

enum folding { FOLDS_NOTHING, FOLDS_LETTERS, FOLDS_UNKNOWN };

static enum folding folding_of(const struct place *place) {
  AUTO_CLOSE const int directory = openat(place->parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return FOLDS_UNKNOWN;
  return directory_folds(directory) ? FOLDS_LETTERS : FOLDS_NOTHING;
}

// A directory is asked only where its answer would make a difference.
bool place_is_denied(const struct place *place) {
  const bool denied = read_rules_deny(place->path, false);
  const bool denied_folded = read_rules_deny(place->path, true);
  if (denied == denied_folded) return denied;
  const enum folding folding = folding_of(place);
  return folding == FOLDS_UNKNOWN || (folding == FOLDS_LETTERS ? denied_folded : denied);
}

bool places_keep_denied(const struct place *from, const struct place *to) {
  const bool kept = read_rules_keep(from->path, to->path, false);
  const bool kept_folded = read_rules_keep(from->path, to->path, true);
  if (kept == kept_folded) return kept;
  const enum folding folding[] = {folding_of(from), folding_of(to)};
  if (folding[0] == FOLDS_UNKNOWN || folding[1] == FOLDS_UNKNOWN) return false;
  return folding[0] == FOLDS_LETTERS || folding[1] == FOLDS_LETTERS ? kept_folded : kept;
}

// A directory with folded names takes letters beyond ASCII for ASCII ones, so that a name there may be a listed one in disguise.
static bool may_be_folded(const struct place *place) {
  bool plain = true;
  for (const char *at = place->path + place->root->length; *at != '\0'; at++) plain = plain && (unsigned char)*at < 0x80;
  return !plain && folding_of(place) != FOLDS_NOTHING;
}

static enum place_kind kind_of(const struct place *place, const struct walk *walk, const char *above, size_t above_length) {
  if (walk->listed || mediation_lists(above, above_length, place->name, strlen(place->name))) return PLACE_LISTED;
  if (mediation_lists_path(place->path)) return PLACE_LISTED_PATH;
  if (may_be_folded(place)) return PLACE_FOLDING;
  if (strcasecmp(place->name, ".git") == 0) return PLACE_GIT_DIRECTORY;
  if (mediation_lists_below(place->name) || mediation_lists_path_below(place->path)) return PLACE_ABOVE_LISTED;
  // Among branches git would take it for a pointer as soon as HEAD lies beside it: its text is checked in any case.
  if (walk->git && walk->loose && strcasecmp(place->name, "commondir") == 0) return PLACE_GIT_POINTER;
  if (!walk->git || walk->loose) return kind_by_structure(place, above, above_length, walk->loose);
  if (walk->hooks) return kind_in_hooks(place->name);
  if (walk->remotes || (walk->info && strcasecmp(place->name, "attributes") == 0)) return PLACE_GIT_ATTRIBUTES;
  if (walk->info) return kind_by_structure(place, above, above_length, true); // info/refs is a file of dumb transports
  return kind_in_git(place->name);
}

#ifdef GLOVEBOX_TEST_BUILD
static bool judges = true;

void place_judge_nothing(void) {
  judges = false;
}
#endif

struct verdict place_judge(const struct place *place) {
#ifdef GLOVEBOX_TEST_BUILD
  if (!judges) return (struct verdict){.kind = PLACE_PLAIN};
#endif
  const char *above;
  size_t above_length;
  const struct walk walk = walk_parent(place, &above, &above_length);
  return (struct verdict){.kind = kind_of(place, &walk, above, above_length), .in_git = walk.git};
}

unsigned place_rule(enum place_kind kind) {
  switch (kind) {
    case PLACE_FOLDING:
      return GB_RULE_FOLDING;
    case PLACE_LISTED_PATH:
      return GB_RULE_LISTED_PATH;
    case PLACE_GIT_CONFIG:
      return GB_RULE_GIT_CONFIG;
    case PLACE_GIT_HOOK:
    case PLACE_GIT_SAMPLE:
      return GB_RULE_GIT_HOOK;
    case PLACE_GIT_POINTER:
      return GB_RULE_GIT_POINTER;
    case PLACE_GIT_DIRECTORY:
    case PLACE_GIT_ATTRIBUTES:
    case PLACE_GIT_PART:
    case PLACE_BECOMES_GIT:
      return GB_RULE_GIT_STRUCTURE;
    default:
      return GB_RULE_LISTED_NAME;
  }
}
