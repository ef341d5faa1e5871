// Removal: free in a write root as far as names go, but for our own policy, for settings that lead an agent to us, and for a path that is not to
// be written, which the host may have made since no mount could hold it; written down before it is done.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mediate.h"
#include "touch.h"

// What the kernel says to a name that ends in a slash, which the place has no more.
static int slash_error(const struct place *place, uint32_t flags) {
  struct stat status;
  if (!place->slash || (flags & AT_REMOVEDIR) != 0) return 0;
  if (fstatat(place->parent, place->name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  return S_ISDIR(status.st_mode) ? EISDIR : ENOTDIR;
}

// "": in any directory.
struct kept {
  const char *directory, *name;
};

static bool lies_in(const struct place *place, const char *directory) {
  const size_t length = strlen(directory);
  if (length == 0) return true;
  if (place->parent_length <= length) return false;
  const char *last = place->path + place->parent_length - length;
  return last[-1] == '/' && strncasecmp(last, directory, length) == 0;
}

// A policy of the project narrows, and the hook in an agent's settings is its way to the wall: without them the next command could do more.
static bool is_kept(const struct place *place) {
  static const struct kept kept[] = {
    {"", "glovebox.yaml"},
    {"", "glovebox.yml"},
    {"", "glovebox.json"},
    {"", "glovebox.toml"},
    {".claude", "settings.json"},
    {".claude", "settings.local.json"},
    {".codex", "hooks.json"},
    {".codex", "config.toml"},
    {".cursor", "hooks.json"},
  };
  for (size_t index = 0; index < sizeof kept / sizeof *kept; index++) {
    if (strcasecmp(place->name, kept[index].name) == 0 && lies_in(place, kept[index].directory)) return place_judge(place).kind == PLACE_LISTED;
  }
  return false;
}

static enum place_kind kept_kind(const struct place *place, uint32_t flags) {
  if (mediation_lists_path(place->path)) return PLACE_LISTED_PATH;
  return (flags & AT_REMOVEDIR) == 0 && is_kept(place) ? PLACE_LISTED : PLACE_PLAIN;
}

static struct answer remove_at(const struct caller *caller, const struct place *place, uint32_t flags) {
  const int error = slash_error(place, flags);
  if (error != 0) return answer_error(error);
  struct statx seen;
  const bool exists = place_look(place, &seen);
  const enum place_kind kind = exists ? kept_kind(place, flags) : PLACE_PLAIN;
  if (kind != PLACE_PLAIN) return answer_judgement(place, GB_CALL_REMOVE, kind);
  touch_seen(place, exists ? &seen : NULL, true);
  if (!caller_waits(caller)) return answer_continue();
  return answer_result(unlinkat(place->parent, place->name, (int)flags));
}

struct answer mediate_remove(const struct caller *caller, int directory, uint64_t path, uint32_t flags) {
  struct place place;
  struct answer answer;
  if ((flags & ~(uint32_t)AT_REMOVEDIR) != 0) return answer_error(EINVAL);
  mediation_lock(false);
  if (mediate_resolve(caller, directory, path, &place, &answer)) answer = remove_at(caller, &place, flags);
  mediation_unlock();
  place_close(&place);
  return answer;
}
