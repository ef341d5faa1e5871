// How the captive network fails: one machine-readable line and one distinct status per step.
#ifndef GLOVEBOX_CAPTIVE_FAILURE_H
#define GLOVEBOX_CAPTIVE_FAILURE_H

// Exit statuses. Once the command has started its own status is passed through.
enum captive_step {
  STEP_USAGE = 100,
  STEP_IDENTITY = 101,   // root without somebody to become, or the other way round
  STEP_NAMESPACES = 102, // the user namespace or one of the two networks
  STEP_LINKS = 103,      // interfaces, addresses, routes
  STEP_RULES = 104,      // the kernel's packet filter
  STEP_LISTENERS = 105,
  STEP_LOG = 106, // being told what was refused
  STEP_CHANNEL = 107,
  STEP_SEAL = 108,
  STEP_PARENT = 109, // who started us is gone
  STEP_EXEC = 110,
};

// Prints `captive: STEP ERRNO` on stderr. Returns the status.
int failure(enum captive_step step, int error);

#endif
