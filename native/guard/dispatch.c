// Parses, checks the order, acts. The first violation ends the guard, and with it the sandbox.
#define _GNU_SOURCE
#include "dispatch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "../protocol/bytes.h"
#include "caller.h"
#include "filter.h"
#include "kernel.h"
#include "landlock.h"
#include "mediation.h"
#include "read-rules.h"
#include "shared-lock.h"
#include "sweep.h"
#include "touch.h"

#define GO_ON (-1)
#define NO_RULE 0xffffffffu

static struct landlock landlock = {.session = -1, .command = -1};
static uint32_t rules;

bool dispatch_hello(struct guard *guard) {
  uint8_t payload[12];
  write_u32(payload, GB_SIZE_VERSION);
#ifdef GLOVEBOX_TEST_BUILD
  write_u32(payload + 4, GB_FEATURE_TEST_BUILD);
#else
  write_u32(payload + 4, 0);
#endif
  write_u32(payload + 8, guard->session.epoch);
  return channel_queue(&guard->channel, GB_TYPE_HELLO, 0, payload, sizeof payload);
}

static int fail_wall(struct guard *guard, uint32_t wall, int error, uint32_t rule) {
  uint8_t payload[12];
  write_u32(payload, wall);
  write_u32(payload + 4, (uint32_t)error);
  write_u32(payload + 8, rule);
  channel_queue(&guard->channel, GB_TYPE_FAILED, 0, payload, sizeof payload);
  return GB_EXIT_WALL;
}

static bool has_layer(const struct guard *guard, uint32_t layer) {
  return (guard->wall.layers & layer) != 0;
}

static int begin(struct guard *guard) {
  if (!has_layer(guard, GB_LAYER_LANDLOCK)) return GO_ON;
  const int error = landlock_prepare(&landlock);
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_LANDLOCK, error, NO_RULE);
}

static int add_rule(struct guard *guard, const struct message_rule *rule) {
  const uint32_t index = rules++;
  if (landlock_rule_is_private(rule)) {
    const int error = mediation_add_private(rule->path);
    if (error != 0) return fail_wall(guard, GB_WALL_MEDIATION, error, index);
  }
  if (!has_layer(guard, GB_LAYER_LANDLOCK)) return GO_ON;
  const int error = landlock_add_rule(&landlock, rule);
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_LANDLOCK, error, index);
}

static bool mediates(const struct guard *guard) {
  return has_layer(guard, GB_LAYER_MEDIATION);
}

static int add_root(struct guard *guard, const char *path) {
  const uint32_t index = guard->session.roots - 1; // this one is counted already
  const int error = has_layer(guard, GB_LAYER_MEDIATION) ? mediation_add_root(path) : 0;
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_MEDIATION, error, GB_SIZE_ROOT_FAILED | index);
}

static int add_name(struct guard *guard, const char *name) {
  const int error = mediation_add_name(name);
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_MEDIATION, error, NO_RULE);
}

static int add_path(struct guard *guard, const char *path) {
  const int error = mediation_add_path(path);
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_MEDIATION, error, NO_RULE);
}

static int open_touch_log(struct guard *guard, const struct message_touch_log *wanted) {
  if (!has_layer(guard, GB_LAYER_MEDIATION)) return GO_ON;
  const int error = touch_prepare((int)wanted->descriptor, wanted->file_bytes_max, wanted->kept_bytes_max);
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_MEDIATION, error, NO_RULE);
}

static int open_shared_lock(struct guard *guard, uint32_t descriptor) {
  if (!has_layer(guard, GB_LAYER_MEDIATION)) return GO_ON;
  const int error = shared_lock_prepare((int)descriptor);
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_MEDIATION, error, NO_RULE);
}

static int add_read_rule(struct guard *guard, int error) {
  return error == 0 ? GO_ON : fail_wall(guard, GB_WALL_MEDIATION, error, NO_RULE);
}

static int enter_session_domain(struct guard *guard) {
  int error = landlock_add_own_rules(&landlock);
  if (error == 0) error = landlock_enter(landlock.session);
  if (error != 0) return fail_wall(guard, GB_WALL_LANDLOCK, error, NO_RULE);
  close(landlock.session);
  guard->wall.ruleset = landlock.command;
  return GO_ON;
}

static int seal(struct guard *guard) {
  guard->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (guard->proc < 0) return fail_wall(guard, GB_WALL_PROC, errno, NO_RULE);
  if (!sweep_sees_own_namespace(guard->proc)) return fail_wall(guard, GB_WALL_PROC, ESRCH, NO_RULE);
  guard->wall.choice.mediated = mediates(guard);
  guard->wall.choice.gvisor = kernel_is_gvisor();
  guard->wall.choice.strict = read_rules_are_strict();
  if (mediates(guard)) {
    const int error = mediation_prepare();
    if (error != 0) return fail_wall(guard, GB_WALL_MEDIATION, error, NO_RULE);
  }
  guard->wall.handover = -1;
  if (has_layer(guard, GB_LAYER_LANDLOCK)) {
    const int status = enter_session_domain(guard);
    if (status != GO_ON) return status;
  }
  uint8_t payload[24];
  write_u32(payload, (uint32_t)landlock.abi);
  write_u32(payload + 4, guard->wall.layers);
  write_u64(payload + 8, landlock.handled);
  write_u64(payload + 16, landlock.scopes);
  return channel_queue(&guard->channel, GB_TYPE_READY, 0, payload, sizeof payload) ? GO_ON : (int)GB_EXIT_INTERNAL;
}

// To everything but the guard. Keepers block every signal that can be blocked, and the two that cannot are not taken here.
static int signal_all(uint32_t number) {
  if (number == SIGKILL || number == SIGSTOP) return GB_EXIT_PROTOCOL;
  kill(-1, (int)number);
  return GO_ON;
}

static int act_on_setup(struct guard *guard, const struct message *message) {
  switch (message->type) {
    case GB_TYPE_HELLO:
      return begin(guard);
    case GB_TYPE_LANDLOCK_RULE:
      return add_rule(guard, &message->rule);
    case GB_TYPE_WRITE_ROOT:
      return add_root(guard, message->text);
    case GB_TYPE_LISTED_NAME:
      return add_name(guard, message->text);
    case GB_TYPE_LISTED_PATH:
      return add_path(guard, message->text);
    case GB_TYPE_TOUCH_LOG:
      return open_touch_log(guard, &message->touch_log);
    case GB_TYPE_SHARED_LOCK:
      return open_shared_lock(guard, message->descriptor);
    case GB_TYPE_READ_RULE:
      return add_read_rule(guard, read_rules_add(&message->read_rule));
    case GB_TYPE_READ_EXEMPT:
      return add_read_rule(guard, read_rules_exempt(message->text));
    case GB_TYPE_STRICT:
      read_rules_begin_strict();
      return GO_ON;
    case GB_TYPE_NESTED:
      caller_may_have_root();
      guard->wall.choice.nested = true;
      return GO_ON;
    case GB_TYPE_SEAL:
      return seal(guard);
    default:
      return signal_all(message->signal);
  }
}

static bool act_on_command(struct guard *guard, struct command *command, struct slot *slot, const struct message *message) {
  switch (message->type) {
    case GB_TYPE_ARGS:
      return command_collect(command, slot, &message->data);
    case GB_TYPE_EXEC:
      return command_execute(guard, command, &message->exec);
    case GB_TYPE_STDIN:
      return command_take_input(guard, command, &message->data);
    case GB_TYPE_STDIN_END:
      command_end_input(command);
      return true;
    case GB_TYPE_SIGNAL:
      return command_signal(command, message->signal);
    case GB_TYPE_KILL_TREE:
      return command_kill_tree(command);
    case GB_TYPE_RESIZE:
      command_resize(command, message->size);
      return true;
    default:
      return true; // CREDIT: the session has counted it
  }
}

static int act(struct guard *guard, const struct frame *frame) {
  static struct message message;
  struct slot *slot;
  if (!message_parse(frame, &message)) return GB_EXIT_PROTOCOL;
  switch (session_accept(&guard->session, &message, &slot)) {
    case SESSION_LATE:
      return GO_ON;
    case SESSION_VIOLATION:
      return GB_EXIT_PROTOCOL;
    case SESSION_ACT:
      break;
  }
  if (slot == NULL) return act_on_setup(guard, &message);
  struct command *command = &guard->commands[slot - guard->session.slots];
  return act_on_command(guard, command, slot, &message) ? GO_ON : (int)GB_EXIT_PROTOCOL;
}

int dispatch_frames(struct guard *guard) {
  for (;;) {
    struct frame frame;
    const enum frame_result result = channel_next(&guard->channel, &frame);
    if (result == FRAME_MORE) return GO_ON;
    const int status = result == FRAME_BAD ? (int)GB_EXIT_PROTOCOL : act(guard, &frame);
    if (status != GO_ON) return status;
  }
}
