// Removal: free in a write root as far as names go, but written down before it is done.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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

static struct answer remove_at(const struct caller *caller, const struct place *place, uint32_t flags) {
  const int error = slash_error(place, flags);
  if (error != 0) return answer_error(error);
  touch_place(place, true);
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
