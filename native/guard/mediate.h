// The mediated calls, one function each. All run in a mediator thread, which has its own umask and working directory.
#ifndef GLOVEBOX_MEDIATE_H
#define GLOVEBOX_MEDIATE_H

#include "answer.h"

struct open_request {
  int directory;
  uint64_t path; // address in the caller
  uint32_t flags;
  mode_t mode;
};

struct make_request {
  int directory;
  uint64_t path;
  mode_t mode;
  uint64_t target; // symlink: address of its text
  uint64_t device;
  enum { MAKE_DIRECTORY, MAKE_NODE, MAKE_LINK } what;
};

struct pair_request {
  int from_directory, to_directory;
  uint64_t from, to;
  uint32_t flags;
};

struct answer mediate_open(const struct caller *caller, const struct open_request *request);
struct answer mediate_truncate(const struct caller *caller, uint64_t path, uint64_t length);
struct answer mediate_make(const struct caller *caller, const struct make_request *request);
// `flags` as of unlinkat().
struct answer mediate_remove(const struct caller *caller, int directory, uint64_t path, uint32_t flags);
struct answer mediate_rename(const struct caller *caller, const struct pair_request *request);
struct answer mediate_link(const struct caller *caller, const struct pair_request *request);
struct answer mediate_connect(const struct caller *caller, int descriptor, uint64_t address, int length);
struct answer mediate_bind(const struct caller *caller, int descriptor, uint64_t address, uint64_t length);

// Resolves a path as the caller would; one that is read first. False: *answer says how the call ends.
bool mediate_resolve_path(const struct caller *caller, int directory, const char *path, struct place *place, struct answer *answer);
bool mediate_resolve(const struct caller *caller, int directory, uint64_t address, struct place *place, struct answer *answer);

#endif
