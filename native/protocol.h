// The frames between the host and the guard. The numbers are frozen: src/guard/protocol.ts repeats them, and a unit test compares the two.
//
// A frame: u32le length of the payload | u8 type | u8 flags = 0 | u16le 0 | u32le stream | payload. All numbers are little-endian.
// docs/guard-protocol.md tells the order of frames and what breaks the protocol.
#ifndef GLOVEBOX_PROTOCOL_H
#define GLOVEBOX_PROTOCOL_H

#define GB_SIZE_VERSION 1u
#define GB_SIZE_HEADER 12u
#define GB_SIZE_DATA_MAX 65536u      // payload of ARGS, STDIN, STDOUT, STDERR
#define GB_SIZE_CONTROL_MAX 16384u   // payload of every other frame
#define GB_SIZE_STREAMS_MAX 256u     // commands at once
#define GB_SIZE_CREDIT 262144u       // bytes in flight, for each of stdin, stdout and stderr of a command
#define GB_SIZE_ARGUMENTS_MAX 2097152u // cwd, argv and environment of one command, with their NUL bytes
#define GB_SIZE_RLIMITS_MAX 16u
#define GB_SIZE_ROOTS_MAX 32u
#define GB_SIZE_NAMES_MAX 256u
#define GB_SIZE_PATHS_MAX 4096u
#define GB_SIZE_NAME_MAX 63u       // bytes of a listed name
#define GB_SIZE_TOUCH_HEADER 32u
#define GB_SIZE_TOUCH_LISTED_MAX 134217728u // bytes of the touch log without contents
#define GB_SIZE_ROOT_FAILED 0x80000000u // FAILED's index of a WRITE_ROOT, which are counted by themselves, begins here
#define GB_SIZE_READ_RULES_MAX 1024u
#define GB_SIZE_SEGMENTS_MAX 62u   // of one read rule: its states are the bits of one number
#define GB_SIZE_REFUSED_MAX 100u   // REFUSED frames of one command; the rest is only counted
#define GB_SIZE_LANDLOCK_ABI_MIN 6u  // file system rights with REFER, TRUNCATE and IOCTL_DEV, and the two scopes

// Both ways.
#define GB_TYPE_HELLO 0x01u  // u32 version, u32 features, u32 epoch
#define GB_TYPE_CREDIT 0x02u // u32 channel, u32 bytes that may be sent in addition

// Host to guard.
#define GB_TYPE_LANDLOCK_RULE 0x10u // u64 rights, u8 optional, u8 domain, u16 0, path without NUL
#define GB_TYPE_SEAL 0x11u          // empty: the rules are complete; the guard enters its session domain
#define GB_TYPE_ARGS 0x12u          // a part of: cwd NUL, argv strings each with NUL, environment strings each with NUL
#define GB_TYPE_EXEC 0x13u          // u32 flags, u16 rows, u16 columns, u32 argc, u32 envc, u32 umask, u32 count, count x {u32 resource, u32 0, u64 value}
#define GB_TYPE_STDIN 0x14u         // bytes
#define GB_TYPE_STDIN_END 0x15u     // empty
#define GB_TYPE_SIGNAL 0x16u        // u32 signal, to the command's process group; stream 0: to every process in the sandbox
#define GB_TYPE_RESIZE 0x17u        // u16 rows, u16 columns
#define GB_TYPE_KILL_TREE 0x18u     // empty
#define GB_TYPE_WRITE_ROOT 0x19u    // path without NUL: below it the guard performs what writes or makes a name
#define GB_TYPE_LISTED_NAME 0x1au   // a name, or two with a slash between, without NUL: never made or written in a write root, in any letter case
#define GB_TYPE_LISTED_PATH 0x1bu   // path without NUL: neither it nor anything below it is made or written, nor what lies above it renamed
#define GB_TYPE_TOUCH_LOG 0x1fu     // u32 descriptor, u32 0, u64 most bytes of one content, u64 of all
#define GB_TYPE_SHARED_LOCK 0x20u   // u32 descriptor of a file that every sandbox of this state has
#define GB_TYPE_READ_RULE 0x1cu     // u8 kind, then the segments from / on: u8 kind, u16 length, bytes
#define GB_TYPE_READ_EXEMPT 0x1du   // path without NUL that no glob denies
#define GB_TYPE_NESTED 0x21u        // empty: commands may make user, pid and net namespaces of their own
#define GB_TYPE_STRICT 0x1eu        // empty: the guard performs opens that only read as well

// Guard to host.
#define GB_TYPE_READY 0x40u       // u32 landlock abi, u32 layers, u64 handled file system rights, u64 scopes
#define GB_TYPE_FAILED 0x41u      // u32 wall, u32 errno, u32 index of the rule (0xffffffff: none); the guard ends
#define GB_TYPE_STARTED 0x42u     // u32 pid inside
#define GB_TYPE_NOT_STARTED 0x43u // u32 stage, u32 errno
#define GB_TYPE_WALL_MISSING 0x44u // u32 wall, u32 errno: nothing was executed
#define GB_TYPE_STDOUT 0x45u      // bytes
#define GB_TYPE_STDERR 0x46u      // bytes
#define GB_TYPE_OUTPUT_END 0x47u  // empty: the last writer closed, or the tree is gone
#define GB_TYPE_EXITED 0x48u      // u32 how, u32 value, u64 user microseconds, u64 system microseconds, u64 max resident bytes
#define GB_TYPE_TREE_GONE 0x49u   // empty: no process of this command is left
#define GB_TYPE_REFUSED 0x4au     // u32 call, u32 errno, u32 rule, path inside: the mediator refused one call
#define GB_TYPE_REFUSED_TOTAL 0x4bu // u32 count of all refused calls; comes before TREE_GONE when there was one
#define GB_TYPE_FILE_LIMIT 0x4cu // u64 length or place asked for: a file would have become longer than the limit allows; at most one for a command

#define GB_READ_DENY_LITERAL 1u
#define GB_READ_DENY_GLOB 2u
#define GB_READ_ALLOW_LITERAL 3u

#define GB_SEGMENT_LITERAL 1u
#define GB_SEGMENT_GLOB 2u // * ? [...] and \ before a character that means itself
#define GB_SEGMENT_ANY 3u  // any number of names

#define GB_CHANNEL_STDIN 0u
#define GB_CHANNEL_STDOUT 1u
#define GB_CHANNEL_STDERR 2u

#define GB_FEATURE_TEST_BUILD 0x1u // this guard may leave layers out; never in a product

#define GB_EXEC_PTY 0x1u
#define GB_EXEC_OUTPUT 0x2u // makes the directory that OUTPUT_DIR of its environment names; one that is there refuses

// What collect writes: frames as above, of stream 0.
#define GB_COLLECTED_ENTRY 0x60u   // u32 type of file, u32 links, u64 size, u64 bytes that it occupies, name
#define GB_COLLECTED_BYTES 0x61u   // of the entry before
#define GB_COLLECTED_CONTENT 0x62u // u64 bytes that came, u32 how it ended
#define GB_COLLECTED_END 0x63u     // u64 entries in all, u32 1 when all were looked at

#define GB_CONTENT_WHOLE 0u
#define GB_CONTENT_CHANGED 1u // its length, while it was read
#define GB_CONTENT_UNREADABLE 2u
#define GB_CONTENT_TOO_LARGE 3u

#define GB_DOMAIN_BOTH 0u    // the guard's session and every command
#define GB_DOMAIN_COMMAND 1u // every command (the session's rules bind it as well)
#define GB_DOMAIN_SESSION 2u // the guard alone

#define GB_EXITED_CODE 0u
#define GB_EXITED_SIGNAL 1u

#define GB_STAGE_FORK 1u
#define GB_STAGE_TERMINAL 2u
#define GB_STAGE_CWD 3u
#define GB_STAGE_EXEC 4u
#define GB_STAGE_OUTPUT 5u

// Layers as bits of READY; walls of FAILED and WALL_MISSING are the bit's number + 1.
#define GB_LAYER_DESCRIPTORS 0x1u
#define GB_LAYER_NO_NEW_PRIVS 0x2u
#define GB_LAYER_CAPABILITIES 0x4u
#define GB_LAYER_RLIMITS 0x8u
#define GB_LAYER_LANDLOCK 0x10u
#define GB_LAYER_SECCOMP 0x20u
#define GB_LAYER_MEDIATION 0x40u
#define GB_LAYER_ALL 0x7fu

#define GB_WALL_DESCRIPTORS 1u
#define GB_WALL_NO_NEW_PRIVS 2u
#define GB_WALL_CAPABILITIES 3u
#define GB_WALL_RLIMITS 4u
#define GB_WALL_LANDLOCK 5u
#define GB_WALL_SECCOMP 6u
#define GB_WALL_PROC 7u // /proc is absent, or shows another pid namespace: a tree could not be ended

#define GB_WALL_MEDIATION 8u

#define GB_CALL_OPEN 1u
#define GB_CALL_MKDIR 2u
#define GB_CALL_MKNOD 3u
#define GB_CALL_RENAME 4u
#define GB_CALL_LINK 5u
#define GB_CALL_SYMLINK 6u
#define GB_CALL_TRUNCATE 7u
#define GB_CALL_BIND 8u
#define GB_CALL_CONNECT 9u
#define GB_CALL_ATTRIBUTES 10u // mode, owner, times, extended attributes
#define GB_CALL_REMOVE 11u

#define GB_RULE_LISTED_NAME 1u  // the name, or one above it, is on the list
#define GB_RULE_GIT_CONFIG 2u   // a key that git would act on, or not written by a rename
#define GB_RULE_GIT_HOOK 3u     // only *.sample
#define GB_RULE_GIT_POINTER 4u  // a pointer file that leads out of the write roots
#define GB_RULE_GIT_STRUCTURE 5u // a part of a git directory that cannot be made or moved in this way
#define GB_RULE_DEVICE 6u
#define GB_RULE_LISTED_PATH 8u  // a path that the policy denies
#define GB_RULE_HOST_SOCKET 9u  // nothing in this network namespace listens there
#define GB_RULE_DENIED_READ 11u // what the policy keeps from being read
#define GB_RULE_OUTSIDE 12u     // neither in a write root nor in a place of the sandbox's own
#define GB_RULE_GIT_POINTER_UNWRITTEN 13u // a pointer file that nothing was written into, or through another descriptor than the one it was opened with
#define GB_RULE_CROWDED 10u     // too many calls wait at once
#define GB_RULE_NO_NETWORK 14u  // this network namespace leads nowhere
#define GB_RULE_FOLDING 7u      // the directory takes different names for one, beyond ASCII letters

// Records of the touch log.
#define GB_TOUCH_PATH 1u    // what lay at a name before its first change
#define GB_TOUCH_CONTENT 2u // of a regular file, before its first change
#define GB_TOUCH_AGAIN 3u   // another command changed the name too

#define GB_TOUCH_KEPT 0u
#define GB_TOUCH_TOO_LARGE 1u
#define GB_TOUCH_NO_ROOM 2u
#define GB_TOUCH_UNREADABLE 3u

// How the guard's process ends; bubblewrap passes it on.
#define GB_EXIT_CLOSED 0u       // the host closed the channel
#define GB_EXIT_USAGE 70u
#define GB_EXIT_TEST_OPTION 71u // --without given to a product build
#define GB_EXIT_PROTOCOL 72u
#define GB_EXIT_WALL 73u
#define GB_EXIT_INTERNAL 74u

#endif
