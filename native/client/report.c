// The same lines as the Node command writes, without colours.
#define _GNU_SOURCE
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cleanup.h"
#include "output.h"
#include "words.h"

#define CLOSED_PIPE_EXIT 141 // 128 + SIGPIPE: what a shell reports for a writer whose reader left

// What a broker said waits for its reader, as the output before it did. What we say of ourselves while it is gone, or still at work, does not wait for
// a reader that takes nothing: whoever waits for our end first would never see it.
enum { FOR_EVER = -1, PATIENCE_MS = 5000 };

__attribute__((format(printf, 2, 3))) static void say(int patience_ms, const char *format, ...) {
  AUTO_FREE char *text = NULL;
  va_list values;
  va_start(values, format);
  const int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) text = NULL;
  else output_say(STDERR_FILENO, text, patience_ms);
}

void report_asked(const struct hearing *hearing, bool is_for_chinese) {
  char line[512];
  snprintf(line, sizeof line, (is_for_chinese ? &sentences_zh : &sentences_en)->asked, hear_word(hearing, NULL));
  say(PATIENCE_MS, "%s\n", line);
}

static void refuse(int patience_ms, const struct sentences *sentences, const char *code, const char *message, const char *hint) {
  say(patience_ms, "glovebox: %s\n  %s%s\n  %s%s\n", message, sentences->code, code, sentences->next, hint);
}

static int fail(const struct sentences *sentences, const struct failure *failure) {
  refuse(PATIENCE_MS, sentences, failure->code, failure->message, failure->hint);
  return failure->exit_code;
}

static int report_unwritten(const struct sentences *sentences, int error) {
  char message[512];
  const char *name = strerrorname_np(error);
  snprintf(message, sizeof message, sentences->unwritten.message, name == NULL ? "unknown" : name);
  refuse(PATIENCE_MS, sentences, sentences->unwritten.code, message, sentences->unwritten.hint);
  return sentences->unwritten.exit_code;
}

static int report_result(const struct relayed *relayed, const struct hearing *hearing) {
  const char *note = hear_word(hearing, NULL);
  if (note != NULL && !relayed->ends_line && isatty(STDERR_FILENO)) say(FOR_EVER, "\n");
  for (; note != NULL; note = hear_word(hearing, note)) say(FOR_EVER, "glovebox: %s\n", note);
  return (int)hearing->exit_code;
}

static int report_refusal(const struct sentences *sentences, const struct hearing *hearing) {
  const char *code = hear_word(hearing, NULL);
  const char *message = hear_word(hearing, code);
  refuse(FOR_EVER, sentences, code, message, hear_word(hearing, message)); // three words, which was checked when they were heard
  return (int)hearing->exit_code;
}

int report(const struct relayed *relayed, const struct hearing *hearing, bool is_for_chinese) {
  const struct sentences *sentences = is_for_chinese ? &sentences_zh : &sentences_en;
  switch (relayed->end) {
    case RELAY_RESULT:
      return report_result(relayed, hearing);
    case RELAY_REFUSED:
      return report_refusal(sentences, hearing);
    case RELAY_CLOSED:
      return CLOSED_PIPE_EXIT;
    case RELAY_UNWRITTEN:
      return report_unwritten(sentences, relayed->error);
    case RELAY_BROKEN:
      return fail(sentences, &sentences->broken);
    default:
      return fail(sentences, &sentences->lost);
  }
}
