// Lays out HELLO, the PARTs and EXEC in one piece of memory of just that size.
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "../cleanup.h"
#include "../protocol.h"
#include "../protocol/bytes.h"
#include "../protocol/frame.h"
#include "words.h"

#define HELLO_HEAD 8u

// The strings of the PARTs: counted in a first round, written in a second.
struct block {
  uint8_t *at; // NULL: only counted
  size_t length;
  uint32_t count;
};

static void add(void *to, const char *text) {
  struct block *block = to;
  const size_t length = strlen(text) + 1;
  if (block->at != NULL) memcpy(block->at + block->length, text, length);
  block->length += length;
  block->count++;
}

// A name and a value; what else may stand in an environment is nothing that can be asked for.
static bool is_variable(const char *text) {
  return text[0] != '\0' && strchr(text + 1, '=') != NULL && text[0] != '=';
}

struct counts {
  uint32_t caller, own;
};

static struct counts fill(const struct request *request, struct block *block) {
  add(block, request->directory);
  for (char *const *word = request->line->arguments; *word != NULL; word++) add(block, *word);
  const uint32_t before = block->count;
  for (char *const *variable = request->variables; *variable != NULL; variable++)
    if (is_variable(*variable)) add(block, *variable);
  const uint32_t caller = block->count - before;
  command_line_variables(request->line, add, block);
  return (struct counts){caller, block->count - before - caller};
}

static uint8_t *put_hello(uint8_t *at) {
  const uint32_t length = HELLO_HEAD + (uint32_t)strlen(CLIENT_VERSION);
  frame_header(at, DOOR_TYPE_HELLO, 0, length);
  write_u32(at + GB_SIZE_HEADER, DOOR_SIZE_VERSION);
  write_u32(at + GB_SIZE_HEADER + 4, 0);
  memcpy(at + GB_SIZE_HEADER + HELLO_HEAD, CLIENT_VERSION, length - HELLO_HEAD);
  return at + GB_SIZE_HEADER + length;
}

static uint8_t *put_parts(uint8_t *at, const uint8_t *block, size_t length) {
  for (size_t done = 0; done < length;) {
    const size_t part = length - done < DOOR_SIZE_DATA_MAX ? length - done : DOOR_SIZE_DATA_MAX;
    frame_header(at, DOOR_TYPE_PART, REQUEST_STREAM, (uint32_t)part);
    memcpy(at + GB_SIZE_HEADER, block + done, part);
    at += GB_SIZE_HEADER + part;
    done += part;
  }
  return at;
}

static uint8_t *put_exec(uint8_t *at, const struct request *request, struct counts counts) {
  frame_header(at, DOOR_TYPE_EXEC, REQUEST_STREAM, DOOR_SIZE_EXEC_BYTES);
  uint8_t *payload = at + GB_SIZE_HEADER;
  memset(payload, 0, DOOR_SIZE_EXEC_BYTES);
  write_u32(payload, request->flags);
  write_u32(payload + 4, (uint32_t)request->columns << 16 | request->rows);
  write_u32(payload + 8, (uint32_t)request->line->argument_count);
  write_u32(payload + 12, counts.caller);
  write_u32(payload + 16, counts.own);
  memcpy(payload + 20, request->line->sandbox, strlen(request->line->sandbox));
  memcpy(payload + 20 + DOOR_SIZE_ID_BYTES, request->token, DOOR_SIZE_TOKEN_BYTES);
  return payload + DOOR_SIZE_EXEC_BYTES;
}

uint8_t *request_frames(const struct request *request, size_t *length) {
  struct block block = {0};
  fill(request, &block);
  if (block.length > DOOR_SIZE_PARTS_MAX) return NULL;
  const size_t frames = block.length / DOOR_SIZE_DATA_MAX + 3;
  const size_t room = frames * GB_SIZE_HEADER + HELLO_HEAD + strlen(CLIENT_VERSION) + block.length + DOOR_SIZE_EXEC_BYTES;
  AUTO_FREE uint8_t *strings = malloc(block.length);
  uint8_t *bytes = malloc(room);
  if (strings == NULL || bytes == NULL) {
    free(bytes);
    return NULL;
  }
  block = (struct block){.at = strings};
  const struct counts counts = fill(request, &block);
  const uint8_t *end = put_exec(put_parts(put_hello(bytes), strings, block.length), request, counts);
  *length = (size_t)(end - bytes);
  return bytes;
}
