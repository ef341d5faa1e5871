// The life of the masker after its first scan.
#ifndef GLOVEBOX_MASKER_WATCH_H
#define GLOVEBOX_MASKER_WATCH_H

// A new inotify instance, or gives up.
int watch_open(void);
// Until the host closes the channel or the sandbox's first process ends. Returns the exit status.
int watch_forever(int sandbox);

#endif
