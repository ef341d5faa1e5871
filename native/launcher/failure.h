// How the launcher fails: one machine-readable line and one distinct status per step.
#ifndef GLOVEBOX_FAILURE_H
#define GLOVEBOX_FAILURE_H

// Exit statuses. From `exec` on the command's own status is passed through.
enum step {
  STEP_USAGE = 80,
  STEP_NAMESPACE = 81, // the private mount namespace
  STEP_STAGE = 82,     // the staging directory
  STEP_SOURCE = 83,    // a place without a plan cannot be opened without following links, or any cloned
  STEP_IDMAP = 84,     // its file system, or this kernel, cannot map owners
  STEP_ATTACH = 85,
  STEP_IDENTITY = 86, // becoming the allocated uid
  STEP_PARENT = 87,   // who started us is gone
  STEP_EXEC = 88,
  STEP_GROUP = 89, // becoming a member of a control group
  STEP_UID = 90,   // some process has the allocated uid already; PATH is its number
  STEP_PRIVACY = 91, // the user namespace of an ordinary user
  STEP_CHANGED = 92, // a place is not what was planned, or reached through a link by now
};

// Prints `launcher: STEP PATH ERRNO` on stderr (spaces and unprintable bytes of PATH as %XX, `-` without a path). Returns the status.
int failure(enum step step, const char *path, int error);

#endif
