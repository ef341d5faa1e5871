// The mount namespace in which a view is laid out.
#ifndef GLOVEBOX_PRIVACY_H
#define GLOVEBOX_PRIVACY_H

// A mount namespace of our own; for whoever is not root in a user namespace of our own, in which he keeps his ids. 0, or the status of a
// failure that is already reported.
int privacy_enter(void);

#endif
