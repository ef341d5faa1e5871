// Renames and hard links: two places, one lock. When one of the two lies in no write root the kernel says what it says across mounts.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "git-files.h"
#include "mediate.h"
#include "touch.h"

struct pair {
  const struct caller *caller;
  uint32_t flags;
  struct place from, to;
  struct verdict leaves, enters;
  struct statx seen; // what lies at `from`
};

static struct answer rename_now(const struct pair *pair) {
  if (!caller_waits(pair->caller)) return answer_continue();
  const struct place *from = &pair->from;
  touch_rename(from, &pair->seen, &pair->to, (pair->flags & RENAME_EXCHANGE) != 0);
  return answer_result(syscall(SYS_renameat2, from->parent, from->name, pair->to.parent, pair->to.name, pair->flags));
}

static struct answer refuse_from(const struct pair *pair, uint32_t call) {
  return answer_judgement(&pair->from, call, pair->leaves.kind);
}

static struct answer refuse_to(const struct pair *pair, uint32_t call) {
  return answer_judgement(&pair->to, call, pair->enters.kind);
}

static bool is_loose(enum place_kind kind) {
  return kind == PLACE_PLAIN || kind == PLACE_BECOMES_GIT;
}

// A directory brings what was prepared in it: into a place that git trusts none is moved, and none is moved out of one.
static struct answer rename_directory(const struct pair *pair) {
  if (!is_loose(pair->leaves.kind)) return refuse_from(pair, GB_CALL_RENAME);
  if (!is_loose(pair->enters.kind)) return refuse_to(pair, GB_CALL_RENAME);
  if (pair->leaves.in_git) return answer_refusal(&pair->from, GB_CALL_RENAME, GB_RULE_GIT_STRUCTURE);
  if (pair->enters.in_git) return answer_refusal(&pair->to, GB_CALL_RENAME, GB_RULE_GIT_STRUCTURE);
  if (pair->enters.kind == PLACE_BECOMES_GIT && git_check_directory(pair->to.parent) != 0) return refuse_to(pair, GB_CALL_RENAME);
  return rename_now(pair);
}

static struct answer after_commit(const struct pair *pair, int error) {
  return error == GIT_REFUSED ? refuse_to(pair, GB_CALL_RENAME) : answer_error(error);
}

static struct answer rename_file(const struct pair *pair) {
  const bool replace = (pair->flags & RENAME_NOREPLACE) == 0;
  const bool regular = place_holds(&pair->seen, S_IFREG);
  if (!is_loose(pair->leaves.kind) && pair->leaves.kind != PLACE_GIT_SAMPLE) return refuse_from(pair, GB_CALL_RENAME);
  if (pair->enters.kind == PLACE_PLAIN) return rename_now(pair);
  if (!regular || !caller_waits(pair->caller)) return refuse_to(pair, GB_CALL_RENAME);
  switch (pair->enters.kind) {
    case PLACE_GIT_SAMPLE:
      return rename_now(pair);
    case PLACE_BECOMES_GIT:
      return git_check_directory(pair->to.parent) == 0 ? rename_now(pair) : refuse_to(pair, GB_CALL_RENAME);
    case PLACE_GIT_CONFIG:
      return after_commit(pair, git_move_config(&pair->from, &pair->to, replace));
    case PLACE_GIT_POINTER:
    case PLACE_GIT_DIRECTORY:
      return after_commit(pair, git_move_pointer(&pair->from, &pair->to, replace));
    default:
      return refuse_to(pair, GB_CALL_RENAME);
  }
}

static struct answer exchange(const struct pair *pair) {
  struct statx other;
  if (!place_look(&pair->to, &other)) return answer_error(errno);
  if (pair->leaves.kind != PLACE_PLAIN) return refuse_from(pair, GB_CALL_RENAME);
  if (pair->enters.kind != PLACE_PLAIN) return refuse_to(pair, GB_CALL_RENAME);
  const bool moves_directory = place_holds(&pair->seen, S_IFDIR) || place_holds(&other, S_IFDIR);
  if (moves_directory && (pair->leaves.in_git || pair->enters.in_git)) {
    return answer_refusal(&pair->to, GB_CALL_RENAME, GB_RULE_GIT_STRUCTURE);
  }
  return rename_now(pair);
}

// Another name must not lay open what the one it has denies.
static bool keeps_denied(const struct pair *pair) {
  if (!places_keep_denied(&pair->from, &pair->to)) return false;
  return (pair->flags & RENAME_EXCHANGE) == 0 || places_keep_denied(&pair->to, &pair->from);
}

static struct answer rename_pair(struct pair *pair) {
  if ((pair->flags & ~(uint32_t)(RENAME_NOREPLACE | RENAME_EXCHANGE)) != 0) return answer_error(EINVAL);
  if (!place_look(&pair->from, &pair->seen)) return answer_error(errno);
  const bool is_directory = place_holds(&pair->seen, S_IFDIR);
  if ((pair->from.slash || pair->to.slash) && !is_directory) return answer_error(ENOTDIR);
  pair->leaves = place_judge(&pair->from);
  pair->enters = place_judge(&pair->to);
  if (!keeps_denied(pair)) return answer_refusal(&pair->from, GB_CALL_RENAME, GB_RULE_DENIED_READ);
  if ((pair->flags & RENAME_EXCHANGE) != 0) return exchange(pair);
  return is_directory ? rename_directory(pair) : rename_file(pair);
}

static struct answer link_pair(struct pair *pair) {
  if (pair->to.slash) return answer_error(ENOENT);
  if (!place_look(&pair->from, &pair->seen)) return answer_error(errno);
  if (pair->from.slash) return answer_error(ENOTDIR);
  if (place_holds(&pair->seen, S_IFDIR)) return answer_error(EPERM);
  if (place_holds(&pair->seen, S_IFLNK) && (pair->flags & AT_SYMLINK_FOLLOW) != 0) return answer_error(EPERM);
  if (!keeps_denied(pair)) return answer_refusal(&pair->from, GB_CALL_LINK, GB_RULE_DENIED_READ);
  pair->leaves = place_judge(&pair->from);
  pair->enters = place_judge(&pair->to);
  if (pair->leaves.kind != PLACE_PLAIN && pair->leaves.kind != PLACE_GIT_SAMPLE) return refuse_from(pair, GB_CALL_LINK);
  const bool plain = pair->enters.kind == PLACE_PLAIN;
  if (!plain && !place_holds(&pair->seen, S_IFREG)) return refuse_to(pair, GB_CALL_LINK);
  if (!plain && pair->enters.kind != PLACE_GIT_SAMPLE && pair->enters.kind != PLACE_BECOMES_GIT) return refuse_to(pair, GB_CALL_LINK);
  if (pair->enters.kind == PLACE_BECOMES_GIT && git_check_directory(pair->to.parent) != 0) return refuse_to(pair, GB_CALL_LINK);
  if (!caller_waits(pair->caller)) return answer_continue();
  touch_seen(&pair->from, &pair->seen, false); // what is written by the new name changes the old one too
  touch_place(&pair->to, false);
  return answer_result(linkat(pair->from.parent, pair->from.name, pair->to.parent, pair->to.name, 0));
}

// Most pairs are in one directory.
static bool resolve_both(const struct pair_request *request, struct pair *pair, struct answer *answer) {
  char from[PATH_BYTES], to[PATH_BYTES];
  const struct caller *caller = pair->caller;
  *answer = answer_continue();
  if (caller_read_path(caller, request->from, from) != 0 || caller_read_path(caller, request->to, to) != 0) return false;
  if (!mediate_resolve_path(caller, request->from_directory, from, &pair->from, answer)) return false;
  if (request->from_directory == request->to_directory && place_resolve_beside(&pair->from, from, to, &pair->to)) return true;
  return mediate_resolve_path(caller, request->to_directory, to, &pair->to, answer);
}

static struct answer with_pair(const struct caller *caller, const struct pair_request *request, struct answer (*act)(struct pair *)) {
  struct pair pair = {.caller = caller, .flags = request->flags, .from = {.parent = -1}, .to = {.parent = -1}};
  struct answer answer;
  mediation_lock(true);
  if (resolve_both(request, &pair, &answer)) answer = act(&pair);
  mediation_unlock();
  place_close(&pair.from);
  place_close(&pair.to);
  return answer;
}

struct answer mediate_rename(const struct caller *caller, const struct pair_request *request) {
  return with_pair(caller, request, rename_pair);
}

struct answer mediate_link(const struct caller *caller, const struct pair_request *request) {
  return with_pair(caller, request, link_pair);
}
