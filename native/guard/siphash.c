// Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
#include "siphash.h"

#include <string.h>

struct state {
  uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t value, unsigned bits) {
  return (value << bits) | (value >> (64 - bits));
}

static void rounds(struct state *state, int count) {
  for (int round = 0; round < count; round++) {
    state->a += state->b;
    state->c += state->d;
    state->b = rotate(state->b, 13) ^ state->a;
    state->d = rotate(state->d, 16) ^ state->c;
    state->a = rotate(state->a, 32);
    state->c += state->b;
    state->a += state->d;
    state->b = rotate(state->b, 17) ^ state->c;
    state->d = rotate(state->d, 21) ^ state->a;
    state->c = rotate(state->c, 32);
  }
}

uint64_t siphash(const uint64_t key[2], const void *bytes, size_t length) {
  struct state state = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
  const uint8_t *at = bytes;
  uint64_t word;
  for (size_t left = length; left >= 8; left -= 8, at += 8) {
    memcpy(&word, at, 8);
    state.d ^= word;
    rounds(&state, 2);
    state.a ^= word;
  }
  word = 0;
  memcpy(&word, at, length & 7u);
  word |= (uint64_t)length << 56;
  state.d ^= word;
  rounds(&state, 2);
  state.a ^= word;
  state.c ^= 0xff;
  rounds(&state, 4);
  return state.a ^ state.b ^ state.c ^ state.d;
}
