// Directories, nodes, symbolic links and the names of unix sockets.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../cleanup.h"
#include "bound-sockets.h"
#include "git-files.h"
#include "mediate.h"
#include "touch.h"
#include "umasks.h"

bool mediate_resolve_path(const struct caller *caller, int directory, const char *path, struct place *place, struct answer *answer) {
  const char *rest;
  AUTO_CLOSE int base = -1;
  place->parent = -1;
  *answer = answer_continue();
  if (!caller_start(caller, directory, path, &base, &rest)) return false;
  const bool resolved = place_resolve(base, rest, place);
  if (place->missing) *answer = answer_error(ENOENT);
  if (resolved && place->borrowed) {
    place->borrowed = false; // it takes the base over
    base = -1;
  }
  return resolved;
}

bool mediate_resolve(const struct caller *caller, int directory, uint64_t address, struct place *place, struct answer *answer) {
  char path[PATH_BYTES];
  place->parent = -1;
  *answer = answer_continue();
  return caller_read_path(caller, address, path) == 0 && mediate_resolve_path(caller, directory, path, place, answer);
}

static uint32_t call_of(const struct make_request *request) {
  if (request->what == MAKE_DIRECTORY) return GB_CALL_MKDIR;
  return request->what == MAKE_NODE ? GB_CALL_MKNOD : GB_CALL_SYMLINK;
}

static bool may_make(const struct make_request *request, enum place_kind kind) {
  switch (kind) {
    case PLACE_PLAIN:
      return true;
    case PLACE_ABOVE_LISTED:
    case PLACE_BECOMES_GIT:
    case PLACE_GIT_SAMPLE:
      return request->what != MAKE_LINK;
    case PLACE_GIT_DIRECTORY:
    case PLACE_GIT_PART:
      return request->what == MAKE_DIRECTORY;
    default:
      return false;
  }
}

static bool is_device(const struct make_request *request) {
  return request->what == MAKE_NODE && (S_ISCHR(request->mode) || S_ISBLK(request->mode));
}

static struct answer make_link(const struct caller *caller, const struct make_request *request, const struct place *place) {
  char target[PATH_BYTES];
  const int error = caller_read_path(caller, request->target, target);
  if (error != 0) return answer_error(error);
  if (!caller_waits(caller)) return answer_continue();
  touch_seen(place, NULL, false);
  return answer_result(symlinkat(target, place->parent, place->name));
}

static struct answer perform(const struct caller *caller, const struct make_request *request, const struct place *place) {
  if (request->what == MAKE_LINK) return make_link(caller, request, place);
  if (!umasks_take(caller)) return answer_continue();
  if (!caller_waits(caller)) return answer_continue();
  touch_seen(place, NULL, false);
  if (request->what == MAKE_DIRECTORY) return answer_result(mkdirat(place->parent, place->name, request->mode & 07777));
  return answer_result(mknodat(place->parent, place->name, request->mode, 0));
}

static struct answer make(const struct caller *caller, const struct make_request *request, const struct place *place) {
  struct statx seen;
  if (place_look(place, &seen)) return answer_error(EEXIST);
  if (place->slash && request->what != MAKE_DIRECTORY) return answer_error(ENOENT);
  if (is_device(request)) return answer_refusal(place, GB_CALL_MKNOD, GB_RULE_DEVICE);
  const enum place_kind kind = place_judge(place).kind;
  if (!may_make(request, kind)) return answer_judgement(place, call_of(request), kind);
  if (kind == PLACE_BECOMES_GIT && git_check_directory(place->parent) != 0) return answer_judgement(place, call_of(request), kind);
  return perform(caller, request, place);
}

struct answer mediate_make(const struct caller *caller, const struct make_request *request) {
  struct place place;
  struct answer answer;
  mediation_lock(true);
  if (mediate_resolve(caller, request->directory, request->path, &place, &answer)) answer = make(caller, request, &place);
  mediation_unlock();
  place_close(&place);
  return answer;
}

static int copy_socket(const struct caller *caller, int descriptor) {
  const int copy = caller_copy_descriptor(caller, descriptor);
  int domain = 0;
  socklen_t length = sizeof domain;
  if (copy >= 0 && caller_waits(caller) && getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX) return copy;
  if (copy >= 0) close(copy);
  return -1;
}

// From the directory itself, so that the address that the socket remembers is the plain name.
static struct answer bind_at(const struct caller *caller, int descriptor, const struct place *place) {
  if (!umasks_take(caller)) return answer_continue();
  AUTO_CLOSE const int copy = copy_socket(caller, descriptor);
  if (copy < 0) return answer_continue();
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = strlen(place->name);
  if (length >= sizeof address.sun_path) return answer_error(ENAMETOOLONG);
  memcpy(address.sun_path, place->name, length + 1);
  if (fchdir(place->parent) != 0) return answer_error(errno);
  touch_place(place, false);
  const int result = bind(copy, (const struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1));
  const struct answer answer = answer_result(result);
  if (result == 0) bound_sockets_add(place->parent, place->name);
  return chdir("/") == 0 ? answer : answer_error(EIO);
}

static struct answer bind_name(const struct caller *caller, int descriptor, const char *path) {
  struct place place;
  const char *rest;
  AUTO_CLOSE int base = -1;
  if (!caller_start(caller, AT_FDCWD, path, &base, &rest)) return answer_continue();
  if (!place_resolve(base, rest, &place)) return place.missing ? answer_error(ENOENT) : answer_continue();
  const enum place_kind kind = place_judge(&place).kind;
  const struct answer answer = kind == PLACE_PLAIN ? bind_at(caller, descriptor, &place) : answer_judgement(&place, GB_CALL_BIND, kind);
  place_close(&place);
  return answer;
}

struct answer mediate_bind(const struct caller *caller, int descriptor, uint64_t address, uint64_t length) {
  struct sockaddr_un name = {0};
  char path[sizeof name.sun_path + 1] = {0};
  const size_t head = offsetof(struct sockaddr_un, sun_path);
  if (length <= head || length > sizeof name || !caller_read(caller, address, &name, length)) return answer_continue();
  if (name.sun_family != AF_UNIX || name.sun_path[0] == '\0') return answer_continue();
  memcpy(path, name.sun_path, length - head);
  mediation_lock(true);
  const struct answer answer = bind_name(caller, descriptor, path);
  mediation_unlock();
  return answer;
}
