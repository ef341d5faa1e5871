// Reads lines as git does, and refuses where git could read them in another way: control characters, odd headers, keys with a comment.
// An entry that is not harmless is compared byte by byte with its continuation lines, so that its quoting need not be understood.
#define _GNU_SOURCE
#include "git-config.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define VALUE_MAX 1024u

struct span {
  const char *at;
  size_t length;
};

struct entry {
  struct span section, subsection; // subsection.at is NULL when there is none
  struct span key, value;          // value without spaces around it
  struct span whole;               // from the key to the end, with continuation lines
};

struct reader {
  const char *at, *end;
  struct span section, subsection;
  const struct git_config_reach *reach;
};

enum line { LINE_ENTRY, LINE_END, LINE_BAD };

static bool is_blank(char letter) {
  return letter == ' ' || letter == '\t';
}

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && is_blank(*at)) at++;
  return at;
}

static const char *line_end(const char *at, const char *end) {
  const char *found = memchr(at, '\n', (size_t)(end - at));
  return found == NULL ? end : found;
}

static bool is_comment(const char *at, const char *end) {
  return at == end || *at == '#' || *at == ';';
}

static const char *skip_word(const char *at, const char *end) {
  while (at < end && (isalnum((unsigned char)*at) || *at == '-')) at++;
  return at;
}

// [name] or [name "subsection"], and nothing but a comment after it.
static bool read_header(struct reader *reader, const char *at, const char *end) {
  const char *name = ++at;
  at = skip_word(at, end);
  reader->section = (struct span){name, (size_t)(at - name)};
  reader->subsection = (struct span){NULL, 0};
  if (at == name || at == end) return false;
  if (is_blank(*at)) {
    at = skip_blanks(at, end);
    if (at == end || *at != '"') return false;
    const char *begin = ++at;
    while (at < end && *at != '"' && *at != '\\') at++;
    if (at == end || *at != '"') return false;
    reader->subsection = (struct span){begin, (size_t)(at - begin)};
    at++;
  }
  if (at == end || *at != ']') return false;
  return is_comment(skip_blanks(at + 1, end), end);
}

static bool ends_in_backslash(const char *at, const char *end) {
  size_t count = 0;
  while (end > at && *--end == '\\') count++;
  return count % 2 == 1;
}

static bool read_entry(struct reader *reader, const char *at, const char *end, struct entry *entry) {
  const char *key = at;
  at = skip_word(at, end);
  if (at == key || !isalpha((unsigned char)*key)) return false;
  *entry = (struct entry){.section = reader->section, .subsection = reader->subsection, .key = {key, (size_t)(at - key)}};
  at = skip_blanks(at, end);
  if (at < end && *at != '=') return false;
  if (at < end) at = skip_blanks(at + 1, end);
  const char *value = at;
  const char *last = end;
  while (ends_in_backslash(value, last) && last < reader->end) last = line_end(last + 1, reader->end);
  reader->at = last;
  entry->whole = (struct span){key, (size_t)(last - key)};
  while (end > value && is_blank(end[-1])) end--;
  entry->value = (struct span){value, (size_t)(end - value)};
  return reader->section.length > 0;
}

static enum line next_entry(struct reader *reader, struct entry *entry) {
  while (reader->at < reader->end) {
    const char *end = line_end(reader->at, reader->end);
    const char *at = skip_blanks(reader->at, end);
    reader->at = end;
    if (!is_comment(at, end)) {
      if (*at == '[') {
        if (!read_header(reader, at, end)) return LINE_BAD;
      } else {
        if (!read_entry(reader, at, end, entry)) return LINE_BAD;
        if (reader->at < reader->end) reader->at++;
        return LINE_ENTRY;
      }
    }
    if (reader->at < reader->end) reader->at++;
  }
  return LINE_END;
}

static bool is(struct span span, const char *word) {
  return strlen(word) == span.length && strncasecmp(span.at, word, span.length) == 0;
}

enum value_need { ANY_VALUE, NO_HELPER, IN_ROOT };

struct harmless {
  const char *section;
  bool subsection;
  const char *key; // "*": every key
  enum value_need need;
};

// Keys that make git execute something, read another file or write elsewhere are absent: fsmonitor, hooksPath, sshCommand, editor, pager,
// alias, filter, diff and merge drivers, include, insteadOf, credential.helper, uploadpack, receivepack, proxy, gpg.program,
// branch.*.mergeOptions, remote.*.mirror. extensions.worktreeConfig makes git read config.worktree, which is held to the same list.
static const struct harmless harmless_keys[] = {
    {"core", false, "repositoryformatversion", ANY_VALUE}, {"core", false, "filemode", ANY_VALUE}, {"core", false, "bare", ANY_VALUE},
    {"core", false, "logallrefupdates", ANY_VALUE}, {"core", false, "ignorecase", ANY_VALUE}, {"core", false, "symlinks", ANY_VALUE},
    {"core", false, "precomposeunicode", ANY_VALUE}, {"core", false, "worktree", IN_ROOT}, {"core", false, "autocrlf", ANY_VALUE},
    {"core", false, "eol", ANY_VALUE}, {"core", false, "sparsecheckout", ANY_VALUE}, {"core", false, "sparsecheckoutcone", ANY_VALUE},
    {"index", false, "sparse", ANY_VALUE}, {"extensions", false, "worktreeconfig", ANY_VALUE}, {"branch", true, "remote", NO_HELPER}, {"branch", true, "pushremote", NO_HELPER}, {"branch", true, "merge", ANY_VALUE},
    {"branch", true, "rebase", ANY_VALUE}, {"branch", true, "description", ANY_VALUE}, {"remote", true, "url", NO_HELPER},
    {"remote", true, "pushurl", NO_HELPER}, {"remote", true, "fetch", NO_HELPER}, {"submodule", true, "url", NO_HELPER},
    {"submodule", true, "active", ANY_VALUE}, {"submodule", false, "active", ANY_VALUE}, {"user", false, "name", ANY_VALUE},
    {"user", false, "email", ANY_VALUE}, {"extensions", false, "objectformat", ANY_VALUE}, {"extensions", false, "refstorage", ANY_VALUE},
    {"init", false, "defaultbranch", ANY_VALUE}, {"pull", false, "rebase", ANY_VALUE}, {"pull", false, "ff", ANY_VALUE},
    {"push", false, "default", ANY_VALUE}, {"push", false, "autosetupremote", ANY_VALUE}, {"fetch", false, "prune", ANY_VALUE},
    {"merge", false, "ff", ANY_VALUE}, {"gc", false, "auto", ANY_VALUE}, {"advice", false, "*", ANY_VALUE},
};

// "ext::command" and "helper::address" start programs; a leading dash becomes an option of one.
static bool names_no_helper(struct span value) {
  return memmem(value.at, value.length, "::", 2) == NULL && (value.length == 0 || value.at[0] != '-');
}

static bool reaches_root(const struct git_config_reach *reach, struct span value) {
  char path[VALUE_MAX];
  if (value.length == 0 || value.length >= sizeof path) return false;
  if (memchr(value.at, '#', value.length) != NULL || memchr(value.at, ';', value.length) != NULL) return false; // a comment would cut it
  memcpy(path, value.at, value.length);
  path[value.length] = '\0';
  return reach->reaches(reach->context, path);
}

static bool may_hold(const struct reader *reader, enum value_need need, struct span value) {
  if (memchr(value.at, '\\', value.length) != NULL || memchr(value.at, '"', value.length) != NULL) return false;
  switch (need) {
    case NO_HELPER:
      return names_no_helper(value);
    case IN_ROOT:
      return reaches_root(reader->reach, value);
    case ANY_VALUE:
      return true;
  }
  return false;
}

static bool is_harmless(const struct reader *reader, const struct entry *entry) {
  for (size_t index = 0; index < sizeof harmless_keys / sizeof *harmless_keys; index++) {
    const struct harmless *row = &harmless_keys[index];
    if (row->subsection != (entry->subsection.at != NULL) || !is(entry->section, row->section)) continue;
    if (strcmp(row->key, "*") != 0 && !is(entry->key, row->key)) continue;
    return may_hold(reader, row->need, entry->value);
  }
  return false;
}

static enum line next_that_counts(struct reader *reader, struct entry *entry) {
  for (;;) {
    const enum line line = next_entry(reader, entry);
    if (line != LINE_ENTRY || !is_harmless(reader, entry)) return line;
  }
}

static bool equal(struct span left, struct span right) {
  if ((left.at == NULL) != (right.at == NULL) || left.length != right.length) return false;
  return left.length == 0 || memcmp(left.at, right.at, left.length) == 0;
}

static bool has_only_text(struct git_config_text text) {
  for (size_t index = 0; index < text.length; index++) {
    const unsigned char letter = (unsigned char)text.at[index];
    if ((letter < 0x20 && letter != '\n' && letter != '\t') || letter == 0x7f) return false;
  }
  return true;
}

// The file of a branch that is called "config", in a place that could be a git directory: no configuration at all.
static bool is_object_name(struct git_config_text text) {
  size_t length = text.length;
  if (length > 0 && text.at[length - 1] == '\n') length--;
  if (length != 40 && length != 64) return false;
  for (size_t index = 0; index < length; index++) {
    if (!isxdigit((unsigned char)text.at[index])) return false;
  }
  return true;
}

bool git_config_admits(struct git_config_text old, struct git_config_text new, struct git_config_reach reach) {
  if (!has_only_text(old) || !has_only_text(new)) return false;
  if (is_object_name(new)) return true;
  struct reader before = {.at = old.at, .end = old.at + old.length, .reach = &reach};
  struct reader after = {.at = new.at, .end = new.at + new.length, .reach = &reach};
  for (;;) {
    struct entry was;
    struct entry now;
    const enum line left = is_object_name(old) ? LINE_END : next_that_counts(&before, &was);
    const enum line right = next_that_counts(&after, &now);
    if (left == LINE_BAD || right == LINE_BAD || left != right) return false;
    if (left == LINE_END) return true;
    if (!equal(was.section, now.section) || !equal(was.subsection, now.subsection) || !equal(was.whole, now.whole)) return false;
  }
}
