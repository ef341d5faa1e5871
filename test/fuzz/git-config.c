// The fuzzer's way into the comparison of git configurations: two files, split at the first NUL. What may replace another may be replaced by
// it, since only harmless keys differ; a file that is understood may replace itself.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/guard/git-config.h"

#define MUST(condition) \
  do { \
    if (!(condition)) abort(); \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool nowhere(const void *context, const char *path) {
  (void)context;
  return strlen(path) % 2 == 0;
}

// Blocks of exactly the bytes that there are, so that reading past them is caught.
static struct git_config_text copy(const uint8_t *data, size_t size) {
  char *bytes = malloc(size == 0 ? 1 : size);
  MUST(bytes != NULL);
  if (size > 0) memcpy(bytes, data, size);
  return (struct git_config_text){bytes, size};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct git_config_reach reach = {nowhere, NULL};
  const uint8_t *split = size == 0 ? NULL : memchr(data, '\0', size);
  const size_t first = split == NULL ? size : (size_t)(split - data);
  const struct git_config_text old = copy(data, first);
  const struct git_config_text new = split == NULL ? copy(data, 0) : copy(split + 1, size - first - 1);
  const struct git_config_text none = {"", 0};
  const bool names = old.length < 66 || new.length < 66; // the file of a branch replaces anything
  if (git_config_admits(old, new, reach)) MUST(names || git_config_admits(new, old, reach));
  if (git_config_admits(none, new, reach)) MUST(git_config_admits(new, new, reach));
  free((void *)(uintptr_t)old.at);
  free((void *)(uintptr_t)new.at);
  return 0;
}
