// One small parser per frame type; a table says which streams and lengths each type allows.
#include "message.h"

#include <string.h>

#include "bytes.h"

#define RULE_HEAD 12u
#define EXEC_HEAD 24u
#define RLIMIT_BYTES 16u
#define SIGNAL_MAX 64u

static bool parse_hello(const struct frame *frame, struct message *message) {
  if (frame->length != 12) return false;
  message->hello = (struct message_hello){read_u32(frame->payload), read_u32(frame->payload + 4), read_u32(frame->payload + 8)};
  return true;
}

static bool parse_credit(const struct frame *frame, struct message *message) {
  if (frame->length != 8) return false;
  message->credit = (struct message_credit){read_u32(frame->payload), read_u32(frame->payload + 4)};
  const uint32_t channel = message->credit.channel;
  if (channel != GB_CHANNEL_STDOUT && channel != GB_CHANNEL_STDERR) return false;
  return message->credit.bytes > 0 && message->credit.bytes <= GB_SIZE_CREDIT;
}

static bool parse_rule(const struct frame *frame, struct message *message) {
  if (frame->length <= RULE_HEAD) return false;
  const uint32_t length = frame->length - RULE_HEAD;
#ifndef GLOVEBOX_PLANTED_OVERFLOW // the fuzzer proves itself on a build without this line
  if (length >= PATH_BYTES) return false;
#endif
  const uint8_t *at = frame->payload;
  struct message_rule *rule = &message->rule;
  rule->rights = read_u64(at);
  rule->optional = at[8] == 1;
  rule->domain = at[9];
  if (at[8] > 1 || at[9] > GB_DOMAIN_SESSION || read_u16(at + 10) != 0 || rule->rights == 0) return false;
  memcpy(rule->path, at + RULE_HEAD, length);
  rule->path[length] = '\0';
  return rule->path[0] == '/' && strlen(rule->path) == length;
}

static bool parse_text(const struct frame *frame, struct message *message, uint32_t longest) {
  if (frame->length == 0 || frame->length > longest) return false;
  memcpy(message->text, frame->payload, frame->length);
  message->text[frame->length] = '\0';
  return strlen(message->text) == frame->length;
}

static bool parse_root(const struct frame *frame, struct message *message) {
  return parse_text(frame, message, PATH_BYTES - 1) && message->text[0] == '/' && message->text[1] != '\0';
}

static bool parse_touch_log(const struct frame *frame, struct message *message) {
  if (frame->length != 24 || read_u32(frame->payload + 4) != 0) return false;
  message->touch_log = (struct message_touch_log){read_u32(frame->payload), read_u64(frame->payload + 8), read_u64(frame->payload + 16)};
  return message->touch_log.descriptor > 3 && message->touch_log.descriptor <= 0x7fffffffu && message->touch_log.file_bytes_max < 0x7fffffffu;
}

static bool parse_descriptor(const struct frame *frame, struct message *message) {
  if (frame->length != 4) return false;
  message->descriptor = read_u32(frame->payload);
  return message->descriptor > 3 && message->descriptor <= 0x7fffffffu;
}

// "name" or "above/name".
static bool parse_name(const struct frame *frame, struct message *message) {
  if (!parse_text(frame, message, GB_SIZE_NAME_MAX)) return false;
  const char *slash = strchr(message->text, '/');
  if (slash == NULL) return true;
  return slash != message->text && slash[1] != '\0' && strchr(slash + 1, '/') == NULL;
}

static bool parse_read_rule(const struct frame *frame, struct message *message) {
  if (frame->length < 2) return false;
  message->read_rule = (struct message_read_rule){frame->payload[0], {frame->payload + 1, frame->length - 1}};
  return message->read_rule.kind >= GB_READ_DENY_LITERAL && message->read_rule.kind <= GB_READ_ALLOW_LITERAL;
}

static bool parse_rlimits(const uint8_t *at, struct message_exec *exec) {
  for (uint32_t index = 0; index < exec->rlimit_count; index++, at += RLIMIT_BYTES) {
    if (read_u32(at + 4) != 0) return false;
    exec->rlimits[index] = (struct message_rlimit){read_u32(at), read_u64(at + 8)};
  }
  return true;
}

static bool parse_exec(const struct frame *frame, struct message *message) {
  if (frame->length < EXEC_HEAD) return false;
  const uint8_t *at = frame->payload;
  struct message_exec *exec = &message->exec;
  const uint32_t flags = read_u32(at);
  exec->pty = (flags & GB_EXEC_PTY) != 0;
  exec->makes_output = (flags & GB_EXEC_OUTPUT) != 0;
  exec->rows = read_u16(at + 4);
  exec->columns = read_u16(at + 6);
  exec->argc = read_u32(at + 8);
  exec->envc = read_u32(at + 12);
  exec->umask = read_u32(at + 16);
  exec->rlimit_count = read_u32(at + 20);
  if ((flags & ~(GB_EXEC_PTY | GB_EXEC_OUTPUT)) != 0 || exec->umask > 0777 || exec->argc == 0) return false;
  if (exec->argc > GB_SIZE_ARGUMENTS_MAX || exec->envc > GB_SIZE_ARGUMENTS_MAX) return false;
  if (exec->rlimit_count > GB_SIZE_RLIMITS_MAX || frame->length != EXEC_HEAD + exec->rlimit_count * RLIMIT_BYTES) return false;
  return parse_rlimits(at + EXEC_HEAD, exec);
}

static bool parse_signal(const struct frame *frame, struct message *message) {
  if (frame->length != 4) return false;
  message->signal = read_u32(frame->payload);
  return message->signal >= 1 && message->signal <= SIGNAL_MAX;
}

static bool parse_resize(const struct frame *frame, struct message *message) {
  if (frame->length != 4) return false;
  message->size = (struct message_size){read_u16(frame->payload), read_u16(frame->payload + 2)};
  return true;
}

static bool parse_data(const struct frame *frame, struct message *message) {
  message->data = (struct message_bytes){frame->payload, frame->length};
  return frame->length > 0;
}

static bool parse_empty(const struct frame *frame, struct message *message) {
  message->data = (struct message_bytes){NULL, 0};
  return frame->length == 0;
}

enum stream_need { NEEDS_STREAM, NEEDS_NONE, TAKES_EITHER };

static const struct {
  uint8_t type;
  enum stream_need stream;
  bool (*parse)(const struct frame *, struct message *);
} shapes[] = {
    {GB_TYPE_HELLO, NEEDS_NONE, parse_hello},      {GB_TYPE_LANDLOCK_RULE, NEEDS_NONE, parse_rule},
    {GB_TYPE_SEAL, NEEDS_NONE, parse_empty},       {GB_TYPE_ARGS, NEEDS_STREAM, parse_data},
    {GB_TYPE_EXEC, NEEDS_STREAM, parse_exec},      {GB_TYPE_STDIN, NEEDS_STREAM, parse_data},
    {GB_TYPE_STDIN_END, NEEDS_STREAM, parse_empty}, {GB_TYPE_SIGNAL, TAKES_EITHER, parse_signal},
    {GB_TYPE_RESIZE, NEEDS_STREAM, parse_resize},  {GB_TYPE_KILL_TREE, NEEDS_STREAM, parse_empty},
    {GB_TYPE_CREDIT, NEEDS_STREAM, parse_credit},  {GB_TYPE_WRITE_ROOT, NEEDS_NONE, parse_root},
    {GB_TYPE_LISTED_PATH, NEEDS_NONE, parse_root},
    {GB_TYPE_LISTED_NAME, NEEDS_NONE, parse_name}, {GB_TYPE_TOUCH_LOG, NEEDS_NONE, parse_touch_log},
    {GB_TYPE_READ_RULE, NEEDS_NONE, parse_read_rule},
    {GB_TYPE_READ_EXEMPT, NEEDS_NONE, parse_root},
    {GB_TYPE_STRICT, NEEDS_NONE, parse_empty},     {GB_TYPE_NESTED, NEEDS_NONE, parse_empty},
       {GB_TYPE_SHARED_LOCK, NEEDS_NONE, parse_descriptor},
};

uint32_t message_longest(uint8_t type) {
  for (size_t index = 0; index < sizeof shapes / sizeof *shapes; index++)
    if (shapes[index].type == type) return shapes[index].parse == parse_data ? GB_SIZE_DATA_MAX : GB_SIZE_CONTROL_MAX;
  return UINT32_MAX;
}

bool message_parse(const struct frame *frame, struct message *message) {
  for (size_t index = 0; index < sizeof shapes / sizeof *shapes; index++) {
    if (shapes[index].type != frame->type) continue;
    if (shapes[index].stream == NEEDS_STREAM && frame->stream == 0) return false;
    if (shapes[index].stream == NEEDS_NONE && frame->stream != 0) return false;
    message->type = frame->type;
    message->stream = frame->stream;
    return shapes[index].parse(frame, message);
  }
  return false;
}
