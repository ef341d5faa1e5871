// The frames between the host and the masker. src/boundaries/process/masker-protocol.ts repeats the numbers, and a unit test compares the two.
//
// A frame: u32le length of the payload | u8 type | payload. All numbers are little-endian. The host speaks first: places, rules and exempt
// paths, then GO. The masker answers FOUND for each match that exists, then READY; from then on LATE for each mask it had to add. TROUBLE
// says why it gives up, and it ends: without it a promise is broken, so the host ends the sandbox.
#ifndef GLOVEBOX_MASKER_PROTOCOL_H
#define GLOVEBOX_MASKER_PROTOCOL_H

#define GM_SIZE_HEADER 5u
#define GM_SIZE_FRAME_MAX 16384u
#define GM_SIZE_RULES_MAX 1024u
#define GM_SIZE_PLACES_MAX 4096u
#define GM_SIZE_SEGMENTS_MAX 62u // of one rule: its states are the bits of one number
#define GM_SIZE_PATH_MAX 4095u
#define GM_SIZE_TARGETS_MAX 256u   // what links with a denied name led to
#define GM_SIZE_WATCHES_MAX 524288u // directories of one sandbox

// Host to masker.
#define GM_TYPE_PLACE 0x01u  // path: something that the sandbox shows
#define GM_TYPE_RULE 0x02u   // u8 kind of rule, then the segments from / on: u8 kind, u16 length, bytes
#define GM_TYPE_EXEMPT 0x03u // path that no glob denies
#define GM_TYPE_GO 0x04u     // u32 pid of the sandbox's first process, or 0: only look, at the host's own view
#define GM_TYPE_SETTLE 0x05u // empty, after READY: what has changed until now is to be masked
#define GM_TYPE_UNTOLD 0x06u // empty: the guard judges every open, so a file system that tells of no change is no trouble

// Masker to host.
#define GM_TYPE_FOUND 0x41u   // u16 rule, u8 marks, u8 0, path: a match that existed; masked before READY
#define GM_TYPE_READY 0x42u   // u32 directories watched, u32 masks made, u64 microseconds of the scan
#define GM_TYPE_LATE 0x43u    // u16 rule, u8 marks, u8 0, u32 microseconds from the kernel's notice to the mask, path
#define GM_TYPE_TROUBLE 0x44u // u16 kind, u16 0, u32 errno, path
#define GM_TYPE_BEHIND 0x45u  // empty: notices were lost, everything was looked at again
#define GM_TYPE_SETTLED 0x46u // empty: the answer to SETTLE

#define GM_KIND_LITERAL 1u // of rules: a path that the plan masked already
#define GM_KIND_GLOB 2u

#define GM_SEGMENT_LITERAL 1u
#define GM_SEGMENT_GLOB 2u  // * ? [...] and \ before a character that means itself
#define GM_SEGMENT_ANY 3u   // any number of names

#define GM_MARK_DIRECTORY 0x1u
#define GM_MARK_LINKED 0x2u // a further name of a denied file
#define GM_MARK_CUT 0x4u    // the path is longer than can be told
#define GM_MARK_TARGET 0x8u // what a link with a denied name leads to
#define GM_MARK_NAMES 0x10u // the file has more names than one

#define GM_TROUBLE_USAGE 1u      // the host's own frames
#define GM_TROUBLE_JOIN 2u       // the sandbox's namespaces
#define GM_TROUBLE_SEAL 3u       // the masker's own walls
#define GM_TROUBLE_INSTANCES 4u  // no more inotify instances
#define GM_TROUBLE_WATCHES 5u    // no more inotify watches
#define GM_TROUBLE_UNWATCHABLE 6u // a file system that others change without a notice
#define GM_TROUBLE_CLOSED 7u     // a directory that a command may pass but nobody may list
#define GM_TROUBLE_MASK 9u       // a mask could not be made
#define GM_TROUBLE_TARGETS 10u   // too many links with denied names
#define GM_TROUBLE_MEMORY 11u
#define GM_TROUBLE_SCAN 12u      // a directory could not be looked at

#endif
