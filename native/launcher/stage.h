// The staging directory: a small private file system that only this process and what it executes can see, with the sandbox's view in it.
//
// A destination is relative to it and is reached without links; what is missing on the way is made, on file systems of our own only.
#ifndef GLOVEBOX_STAGE_H
#define GLOVEBOX_STAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "layout.h"

#define MADE_MAX 4 // itself, and what memory_scratch makes

struct stage {
  const char *path; // as the host names the directory below
  int root;         // -1 before it is opened
  dev_t made[MADE_MAX]; // the file systems that are ours
  size_t made_count;
  unsigned sources; // how many files and directories of its own were shown
  uid_t uid;        // who owns what is made
  gid_t gid;
  bool allocates; // `uid` is nobody's but the sandbox's: owners are mapped to it
  bool manages;   // the command stays root: it starts processes of `uid` and none of its own
  bool speaks;    // what is handed down on descriptor 3 is the command's standard input
};

struct source {
  const char *path;
  const char *identity; // `DEVICE:INODE` in decimal as it was planned; `-` for what was not
};

// Each returns 0, or the status of a failure that is already reported.
int stage_open(struct stage *stage, const char *directory);
// Clones `source` with all that is mounted below it.
int stage_bind(const struct stage *stage, const struct source *source, const char *destination, bool read_only);
// Clones `source` alone: mounts below it stay behind. Its owner appears to be `uid`.
int stage_idmap(const struct stage *stage, const struct source *source, const char *destination, bool read_only);
int stage_directory(const struct stage *stage, const char *destination, mode_t mode);
// Makes a directory that is there a mount of its own without the flags of the staging directory: who copies it into a user namespace cannot take them
// off, and gVisor's gofer, which makes its root read-only, leaves them out.
int stage_unflag(const struct stage *stage, const char *destination);
int stage_link(const struct stage *stage, const char *destination, const char *target);
int stage_file(const struct stage *stage, const char *destination, const struct field *content);
// A read-only mount of a file with that content over what is there.
int stage_text(struct stage *stage, const char *destination, const struct field *content);
// A bare directory mounted over what is there, for places within.
int stage_mask(struct stage *stage, const char *destination, mode_t mode);
// An empty directory over a place of the host, for what starts in our mount namespace alone.
int stage_hide(struct stage *stage, const char *place);
// What is mounted there from now on appears wherever the mount at `destination` is shown, also in mount namespaces made from ours.
int stage_share(const struct stage *stage, const char *destination);
// Nothing more is made or changed in it, through whatever mount: it is read-only from now on.
int stage_seal(const struct stage *stage);

// For mounts of another kind. A clone as a descriptor; -1 with errno.
int stage_clone(int directory, const char *name, bool recursive);
int stage_attach(const struct stage *stage, int tree, const char *destination, bool is_directory);

#endif
