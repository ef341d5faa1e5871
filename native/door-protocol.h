// The frames between a broker and its clients. The numbers are frozen: src/door/protocol.ts repeats them, and a unit test compares the two.
// docs/door-protocol.md tells the order of frames and what ends a connection.
#ifndef GLOVEBOX_DOOR_PROTOCOL_H
#define GLOVEBOX_DOOR_PROTOCOL_H

#define DOOR_SIZE_VERSION 4u
#define DOOR_SIZE_DATA_MAX 65536u     // payload of PART, STDIN, STDOUT, STDERR
#define DOOR_SIZE_CONTROL_MAX 16384u  // payload of every other frame
#define DOOR_SIZE_PARTS_MAX 2097152u  // of the PARTs of one request
#define DOOR_SIZE_STREAMS_MAX 64u
#define DOOR_SIZE_CREDIT 262144u      // bytes in flight, for each channel of a request
#define DOOR_SIZE_ID_BYTES 32u
#define DOOR_SIZE_TOKEN_BYTES 32u
#define DOOR_SIZE_EXEC_BYTES 88u
#define DOOR_SIZE_RESULT_BYTES 96u    // the fixed part; notes for a person follow

// Both ways.
#define DOOR_TYPE_HELLO 0x01u
#define DOOR_TYPE_CREDIT 0x02u
#define DOOR_TYPE_PART 0x10u

// Client to broker.
#define DOOR_TYPE_EXEC 0x11u
#define DOOR_TYPE_ASK 0x12u
#define DOOR_TYPE_STDIN 0x14u
#define DOOR_TYPE_STDIN_END 0x15u
#define DOOR_TYPE_SIGNAL 0x16u
#define DOOR_TYPE_RESIZE 0x17u
#define DOOR_TYPE_CANCEL 0x18u

// Broker to client.
#define DOOR_TYPE_STARTED 0x40u
#define DOOR_TYPE_STDOUT 0x41u
#define DOOR_TYPE_STDERR 0x42u
#define DOOR_TYPE_RESULT 0x43u
#define DOOR_TYPE_ANSWER 0x44u
#define DOOR_TYPE_REFUSED 0x45u
#define DOOR_TYPE_END 0x46u
#define DOOR_TYPE_ASKED 0x47u
#define DOOR_TYPE_OUTPUT_END 0x48u

#define DOOR_EXEC_PTY 1u
#define DOOR_EXEC_DETACHED 2u
#define DOOR_EXEC_NO_INPUT 4u
#define DOOR_EXEC_CHINESE 8u
#define DOOR_EXEC_TELLS_ASKED 16u

#define DOOR_CHANNEL_STDIN 0u
#define DOOR_CHANNEL_STDOUT 1u
#define DOOR_CHANNEL_STDERR 2u

#endif
