// What this machine's kernel offers the guard.
#ifndef GLOVEBOX_PROBE_H
#define GLOVEBOX_PROBE_H

// Prints key=value lines: version, arch, test_build, landlock_abi, landlock_abi_min, seccomp, seccomp_notify, userns, pidfd. Returns 0.
int guard_probe(void);

#endif
