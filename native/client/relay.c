// One loop, which waits for all of them at once and never for one alone: bounded memory, and a signal is always heard.
#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../protocol/frame.h"
#include "incoming.h"
#include "outgoing.h"
#include "output.h"
#include "report.h"
#include "signals.h"
#include "terminal.h"

enum phase { ASKING, RUNNING, OVER };

static const struct relay_options *given;
static struct hearing *hearing;
static struct incoming incoming;
static struct outgoing outgoing;
static struct output outputs[2];
static struct relayed relayed;
static enum phase phase;
static bool has_input;
static bool is_cancelled;
static uint32_t sent_signals; // bits

static void tell(uint8_t type, uint32_t number) {
  // Only who sends hundreds of signals to a broker that does not read finds no room: they are one.
  outgoing_put(&outgoing, type, &number, 1);
}

// Nobody wants it any more. What it still prints goes nowhere.
static void cancel(void) {
  if (!is_cancelled && phase != OVER) outgoing_put(&outgoing, DOOR_TYPE_CANCEL, NULL, 0);
  is_cancelled = true;
}

static void tell_size(void) {
  const struct terminal_size size = terminal_size();
  if (given->has_terminal && phase == RUNNING) tell(DOOR_TYPE_RESIZE, (uint32_t)size.columns << 16 | size.rows);
}

// The first of each kind goes to the command; what comes after that, or before there is a command, ends it.
static void pass_on(int number) {
  const uint32_t bit = 1u << number;
  if (phase == ASKING || (sent_signals & bit) != 0) cancel();
  else if (phase == RUNNING) tell(DOOR_TYPE_SIGNAL, (uint32_t)number);
  sent_signals |= bit;
}

// A stop from the keyboard reaches only groups with a parent in their session (setpgid(2)); the command's has none, so it is told in plain words.
static void stop(void) {
  if (phase == RUNNING) tell(DOOR_TYPE_SIGNAL, SIGSTOP);
  outgoing_send(&outgoing, given->socket);
  terminal_give_back();
  raise(SIGSTOP);
}

static void go_on(void) {
  if (phase != RUNNING) return;
  if (given->has_terminal) terminal_lend();
  tell(DOOR_TYPE_SIGNAL, SIGCONT);
  tell_size();
}

static void answer_signals(void) {
  for (int number = signals_next(given->signals); number != 0; number = signals_next(given->signals)) {
    if (number == SIGWINCH) tell_size();
    else if (number == SIGTSTP) stop();
    else if (number == SIGCONT) go_on();
    else if (number != SIGQUIT) pass_on(number);
    else {
      terminal_give_back();
      signals_die(SIGQUIT);
    }
  }
}

static void read_input(void) {
  uint8_t *payload;
  size_t room = outgoing_data_room(&outgoing, &payload);
  if (room > hearing->input_credit) room = hearing->input_credit;
  if (room == 0) return;
  const ssize_t length = read(STDIN_FILENO, payload, room);
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (length <= 0) {
    has_input = false;
    outgoing_put(&outgoing, DOOR_TYPE_STDIN_END, NULL, 0);
    return;
  }
  hearing->input_credit -= (uint32_t)length;
  if (given->has_terminal && isatty(STDIN_FILENO) && terminal_end_key(payload, (size_t)length)) cancel();
  outgoing_put_data(&outgoing, DOOR_TYPE_STDIN, (size_t)length);
}

static void end(enum relay_end how) {
  phase = OVER;
  if (relayed.end == RELAY_NOBODY) relayed.end = how; // a broken output is what came first
}

static void hear(const struct frame *frame) {
  switch (hear_frame(hearing, frame)) {
    case HEARD_ON:
      return;
    case HEARD_STARTED:
      phase = RUNNING;
      if (given->has_terminal) terminal_lend();
      tell_size();
      return;
    case HEARD_ASKED:
      return report_asked(hearing, given->is_for_chinese);
    case HEARD_RESULT:
      return end(RELAY_RESULT);
    case HEARD_REFUSED:
      return end(hearing->is_greeted ? RELAY_REFUSED : RELAY_NOBODY);
    case HEARD_STRANGER:
      return end(RELAY_NOBODY);
    case HEARD_BROKEN:
      return end(RELAY_BROKEN);
  }
}

static void lose(void) {
  end(hearing->is_greeted ? RELAY_LOST : RELAY_NOBODY);
}

static void listen_to_broker(void) {
  const bool is_there = incoming_read(&incoming, given->socket);
  struct frame frame;
  enum frame_result next = FRAME_MORE;
  while (phase != OVER && (next = incoming_next(&incoming, &frame)) == FRAME_WHOLE) hear(&frame);
  if (phase != OVER && next == FRAME_BAD) end(hearing->is_greeted ? RELAY_BROKEN : RELAY_NOBODY);
  if (phase != OVER && !is_there) lose();
}

static void break_output(int error) {
  const bool is_closed = error == EPIPE || error == ECONNRESET || error == EIO; // EIO: the terminal went away
  cancel();
  relayed.end = is_closed ? RELAY_CLOSED : RELAY_UNWRITTEN;
  relayed.error = error;
}

static void write_output(size_t index) {
  struct queue *queue = &hearing->output[index];
  if (is_cancelled) queue_drop(queue, queue->length);
  const int error = queue->length == 0 ? 0 : output_write(&outputs[index], queue);
  if (error != 0) break_output(error);
  const uint32_t numbers[] = {DOOR_CHANNEL_STDOUT + (uint32_t)index, queue_credit(queue)};
  if (numbers[1] > 0 && phase != OVER) outgoing_put(&outgoing, DOOR_TYPE_CREDIT, numbers, 2);
}

static bool wants_input(void) {
  uint8_t *payload;
  return has_input && !is_cancelled && hearing->is_greeted && phase != OVER && hearing->input_credit > 0 && outgoing_data_room(&outgoing, &payload) > 0;
}

static void wait_and_answer(void) {
  struct pollfd ready[] = {
    {given->signals, POLLIN, 0},
    {phase == OVER ? -1 : given->socket, (short)(POLLIN | (outgoing_is_empty(&outgoing) ? 0 : POLLOUT)), 0},
    {wants_input() ? STDIN_FILENO : -1, POLLIN, 0},
    {outputs[0].is_blocked ? outputs[0].fd : -1, POLLOUT, 0},
    {outputs[1].is_blocked ? outputs[1].fd : -1, POLLOUT, 0},
  };
  if (poll(ready, sizeof ready / sizeof *ready, -1) < 0) return; // EINTR: nothing is lost
  if (ready[0].revents != 0) answer_signals();
  if ((ready[1].revents & ~POLLOUT) != 0) listen_to_broker();
  if (ready[2].revents != 0) read_input();
  for (size_t index = 0; index < 2; index++)
    if (ready[3 + index].revents != 0) outputs[index].is_blocked = false;
}

// What has come is written before we leave; of a broker that is gone only what goes at once.
static bool is_done(void) {
  if (phase != OVER) return false;
  const bool is_written = hearing->output[0].length + hearing->output[1].length == 0;
  return is_written || (relayed.end != RELAY_RESULT && relayed.end != RELAY_REFUSED);
}

struct relayed relay(const struct relay_options *options, struct hearing *to) {
  given = options;
  has_input = options->has_input;
  hearing = to;
  hear_begin(hearing);
  relayed = (struct relayed){.end = RELAY_NOBODY};
  outgoing.first = options->request;
  outgoing.first_length = options->request_length;
  for (size_t index = 0; index < 2; index++) output_open(&outputs[index], STDOUT_FILENO + (int)index);
  for (;;) {
    // A broker that takes no more may have said why: it is lost when nothing more comes of it.
    if (phase != OVER) outgoing_send(&outgoing, options->socket);
    for (size_t index = 0; index < 2; index++)
      if (!outputs[index].is_blocked || is_cancelled) write_output(index);
    if (is_done()) break;
    wait_and_answer();
  }
  terminal_give_back();
  relayed.ends_line = outputs[0].last == '\n' && outputs[1].last == '\n';
  return relayed;
}
