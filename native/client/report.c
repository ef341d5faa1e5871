// The same lines as the Node command writes, without colours.
#define _GNU_SOURCE
#include "report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "words.h"

#define CLOSED_PIPE_EXIT 141 // 128 + SIGPIPE: what a shell reports for a writer whose reader left

void report_asked(const struct hearing *hearing, bool is_for_chinese) {
  fprintf(stderr, (is_for_chinese ? &sentences_zh : &sentences_en)->asked, hear_word(hearing, NULL));
  fputc('\n', stderr);
}

static void refuse(const struct sentences *sentences, const char *code, const char *message, const char *hint) {
  fprintf(stderr, "glovebox: %s\n  %s%s\n  %s%s\n", message, sentences->code, code, sentences->next, hint);
}

static int fail(const struct sentences *sentences, const struct failure *failure) {
  refuse(sentences, failure->code, failure->message, failure->hint);
  return failure->exit_code;
}

static int report_unwritten(const struct sentences *sentences, int error) {
  char message[512];
  const char *name = strerrorname_np(error);
  snprintf(message, sizeof message, sentences->unwritten.message, name == NULL ? "unknown" : name);
  refuse(sentences, sentences->unwritten.code, message, sentences->unwritten.hint);
  return sentences->unwritten.exit_code;
}

static int report_result(const struct relayed *relayed, const struct hearing *hearing) {
  const char *note = hear_word(hearing, NULL);
  if (note != NULL && !relayed->ends_line && isatty(STDERR_FILENO)) fputc('\n', stderr);
  for (; note != NULL; note = hear_word(hearing, note)) fprintf(stderr, "glovebox: %s\n", note);
  return (int)hearing->exit_code;
}

static int report_refusal(const struct sentences *sentences, const struct hearing *hearing) {
  const char *code = hear_word(hearing, NULL);
  const char *message = hear_word(hearing, code);
  refuse(sentences, code, message, hear_word(hearing, message)); // three words, which was checked when they were heard
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
