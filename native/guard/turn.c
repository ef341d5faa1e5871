// A semaphore of one, and the number of the call whose thread keeps it: whoever puts 0 in the number's place gives the turn away, so that it is
// given away once.
#define _GNU_SOURCE
#include "turn.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOK_MS 10

static sem_t turn;
static int alarm_descriptor = -1;
static atomic_uint_fast64_t calls;   // that have begun
static atomic_uint_fast64_t keeping; // the call whose thread keeps the turn, 0: none
static atomic_bool nobody_looks;     // the next call rings
static _Thread_local uint_fast64_t own;

bool turn_prepare(void) {
  alarm_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  nobody_looks = true;
  return alarm_descriptor >= 0 && sem_init(&turn, 0, 1) == 0;
}

void turn_take(void) {
  while (sem_wait(&turn) != 0) continue; // a signal
}

void turn_leave(void) {
  sem_post(&turn);
}

static bool give_away(uint_fast64_t call) {
  return call != 0 && atomic_compare_exchange_strong(&keeping, &call, 0);
}

static void ring(void) {
  const uint64_t one = 1;
  if (write(alarm_descriptor, &one, sizeof one) < 0) return; // it rings already
}

void turn_wants_look(void) {
  if (atomic_load(&nobody_looks) && atomic_exchange(&nobody_looks, false)) ring();
}

void turn_begin_call(void) {
  own = atomic_fetch_add(&calls, 1) + 1;
  atomic_store(&keeping, own);
  turn_wants_look();
}

void turn_pass(void) {
  if (give_away(own)) sem_post(&turn);
}

bool turn_end_call(void) {
  const bool kept = give_away(own);
  own = 0;
  return kept;
}

int turn_alarm(void) {
  return alarm_descriptor;
}

int turn_look_out(bool anyway) {
  static uint_fast64_t seen_calls, seen_keeping; // at the last look
  uint64_t rings;
  if (read(alarm_descriptor, &rings, sizeof rings) < 0 && atomic_load(&nobody_looks)) return -1; // it has not come
  const uint_fast64_t now = atomic_load(&keeping);
  if (now != 0 && now == seen_keeping && give_away(now)) sem_post(&turn);
  seen_keeping = atomic_load(&keeping);
  const uint_fast64_t count = atomic_load(&calls);
  const bool silent = count == seen_calls && seen_keeping == 0 && !anyway;
  seen_calls = count;
  if (!silent) return LOOK_MS;
  atomic_store(&nobody_looks, true);
  if (atomic_load(&calls) == count) return -1;
  return atomic_exchange(&nobody_looks, false) ? LOOK_MS : -1; // a call that came in between has rung, or has not seen that it should
}
