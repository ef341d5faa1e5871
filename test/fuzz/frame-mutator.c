// Mutates one frame of a conversation and keeps its length field true, so that the fuzzer reaches what lies behind the header check. Half
// of the time it mutates raw bytes as usual.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/protocol.h"
#include "../../native/protocol/bytes.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#define PAYLOAD_MAX 70000u
#define REPEAT_MAX 20000u

static unsigned next(unsigned *state) {
  *state = *state * 1103515245u + 12345u;
  return *state >> 8;
}

// Offset of a random whole frame, or SIZE_MAX.
static size_t choose_frame(const uint8_t *data, size_t size, unsigned *state) {
  size_t chosen = SIZE_MAX;
  unsigned seen = 0;
  for (size_t at = 0; size - at >= GB_SIZE_HEADER;) {
    const uint32_t length = read_u32(data + at);
    if (length > size - at - GB_SIZE_HEADER) break;
    if (next(state) % ++seen == 0) chosen = at;
    at += GB_SIZE_HEADER + length;
  }
  return chosen;
}

static size_t change_payload(uint8_t *payload, size_t length, size_t room, unsigned *state) {
  if (next(state) % 4 != 0 || length == 0) return LLVMFuzzerMutate(payload, length, room);
  size_t more = next(state) % REPEAT_MAX; // the same byte again and again: long paths, many strings
  if (more > room - length) more = room - length;
  memset(payload + length, payload[length - 1], more);
  return length + more;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  static uint8_t payload[PAYLOAD_MAX], rest[1u << 20];
  unsigned state = seed;
  const size_t at = choose_frame(data, size, &state);
  if (at == SIZE_MAX || next(&state) % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const size_t length = read_u32(data + at);
  const size_t rest_length = size - at - GB_SIZE_HEADER - length;
  size_t room = max_size - size + length;
  if (length > sizeof payload || rest_length > sizeof rest) return LLVMFuzzerMutate(data, size, max_size);
  if (room > sizeof payload) room = sizeof payload;
  if (room == 0) return size; // nothing to change, and LLVMFuzzerMutate would write a byte all the same
  memcpy(payload, data + at + GB_SIZE_HEADER, length);
  memcpy(rest, data + size - rest_length, rest_length);
  const size_t changed = change_payload(payload, length, room, &state);
  write_u32(data + at, (uint32_t)changed);
  memcpy(data + at + GB_SIZE_HEADER, payload, changed);
  memcpy(data + at + GB_SIZE_HEADER + changed, rest, rest_length);
  return at + GB_SIZE_HEADER + changed + rest_length;
}
