// The masker's own walls. It holds a capability over the sandbox's mounts and reads names that somebody hostile chose.
#ifndef GLOVEBOX_MASKER_SEAL_H
#define GLOVEBOX_MASKER_SEAL_H

// Before anything else: no core, no dump, nothing inherited, and an end with whoever started it. 0 or errno.
int seal_early(void);
// A change of ids undoes two of these. 0 or errno.
int seal_again(void);
// After the namespaces are joined: only the system calls that masks need. Landlock cannot be added: its domain forbids every mount. 0 or errno.
int seal_calls(void);

#endif
