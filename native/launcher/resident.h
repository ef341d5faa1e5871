// A launcher that stays with its broker and forks for each sandbox. A broker's own fork copies all its page tables, and drops them again; this one's
// copies next to nothing, and the copy need not be executed. It knows no secret and opens nothing of its own accord; it ends with its broker.
//
// Descriptors: 0 requests, 3 a channel to Node (shared/node-channel.h), 4 to 6 the layout, the text and the control of set 0.
//
// A set is what a sandbox is started with: `layout`, which it reads, `text`, to which it writes what failed, and `control`, the guard's channel.
// The next one is always made before somebody asks; what is short is tried again until it comes. What Node is told, a line each:
//   a handle {"set":N,"end":"layout"|"text"|"control"}     the ends of the next set
//   {"short":N}                                    it cannot be handed over now: whoever waits for it starts its launcher otherwise
//   {"started":N,"pid":P}                          it has its own half of the set
//   {"ended":N} or {"ended":N,"error":NAME}        it is reaped, or could not be started
//
// A request is `u32le length | word NUL word NUL ...`, at most 16 KiB:
//   open N --sandbox=ID LOG LOCK    with the set N, the next; LOG is opened for writing as 4, LOCK for both as 5; an empty word opens nothing
//   kill N                          nothing if it is reaped
#ifndef GLOVEBOX_RESIDENT_H
#define GLOVEBOX_RESIDENT_H

// `room` is of our own command line: what is forked shows the name of its sandbox there. Returns only in what is forked, or when the broker has gone.
int resident_serve(char *room);

#endif
