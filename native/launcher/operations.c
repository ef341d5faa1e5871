// One function per operation: it takes its fields and passes them on. A layout that is not understood to its end runs nothing.
#define _GNU_SOURCE
#include "operations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cleanup.h"
#include "failure.h"
#include "identity.h"
#include "memory.h"

#define UID_MIN 1000u // below are accounts of the system
#define UID_MAX 4294967293u
#define MODE_MAX 01777u
#define ARGUMENTS_MAX 4096u

static int misused(void) {
  return failure(STEP_USAGE, NULL, EINVAL);
}

// The staging directory is what relative destinations are relative to.
static bool take_destination(struct layout *layout, const struct stage *stage, const char **destination) {
  return stage->root >= 0 && layout_text(layout, destination) && (*destination)[0] != '/';
}

static bool take_absolute(struct layout *layout, const char **path) {
  return layout_text(layout, path) && (*path)[0] == '/';
}

// Only before anything is made for it.
static int do_uid(struct layout *layout, struct stage *stage) {
  unsigned long long uid;
  if (stage->root >= 0 || stage->allocates || !layout_number(layout, 10, UID_MAX, &uid) || uid < UID_MIN) return misused();
  if (geteuid() != 0) return failure(STEP_USAGE, NULL, EPERM);
  stage->uid = (uid_t)uid;
  stage->gid = (gid_t)uid;
  stage->allocates = true;
  return identity_unused(stage->uid);
}

// For a container runtime, which only root can tell to make somebody else of what it starts.
static int do_manage(struct layout *layout, struct stage *stage) {
  (void)layout;
  if (!stage->allocates) return misused();
  stage->manages = true;
  return 0;
}

// For a container runtime that hands its streams down and nothing else.
static int do_channel(struct layout *layout, struct stage *stage) {
  (void)layout;
  stage->speaks = true;
  return 0;
}

// "0" is the writer itself, which the kernel moves without stopping anybody.
static int do_join(struct layout *layout, struct stage *stage) {
  (void)stage;
  const char *path;
  if (!take_absolute(layout, &path)) return misused();
  AUTO_CLOSE const int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  return file >= 0 && write(file, "0", 1) == 1 ? 0 : failure(STEP_GROUP, path, errno);
}

static int do_stage(struct layout *layout, struct stage *stage) {
  const char *directory;
  return stage->root < 0 && take_absolute(layout, &directory) ? stage_open(stage, directory) : misused();
}

typedef int mount_source(const struct stage *stage, const struct source *source, const char *destination, bool read_only);

static int do_source(struct layout *layout, struct stage *stage, mount_source *mount, bool read_only) {
  struct source source;
  const char *destination;
  if (!take_absolute(layout, &source.path) || !layout_text(layout, &source.identity) || !take_destination(layout, stage, &destination)) return misused();
  return mount(stage, &source, destination, read_only);
}

static int do_bind(struct layout *layout, struct stage *stage) {
  return do_source(layout, stage, stage_bind, false);
}

static int do_bind_ro(struct layout *layout, struct stage *stage) {
  return do_source(layout, stage, stage_bind, true);
}

static int do_idmap(struct layout *layout, struct stage *stage) {
  return stage->allocates ? do_source(layout, stage, stage_idmap, false) : misused();
}

static int do_idmap_ro(struct layout *layout, struct stage *stage) {
  return stage->allocates ? do_source(layout, stage, stage_idmap, true) : misused();
}

static int do_directory(struct layout *layout, struct stage *stage) {
  const char *destination;
  unsigned long long mode;
  if (!take_destination(layout, stage, &destination) || !layout_number(layout, 8, MODE_MAX, &mode)) return misused();
  return stage_directory(stage, destination, (mode_t)mode);
}

static int do_unflag(struct layout *layout, struct stage *stage) {
  const char *destination;
  return take_destination(layout, stage, &destination) ? stage_unflag(stage, destination) : misused();
}

static int do_link(struct layout *layout, struct stage *stage) {
  const char *destination, *target;
  if (!take_destination(layout, stage, &destination) || !layout_text(layout, &target)) return misused();
  return stage_link(stage, destination, target);
}

static int do_file(struct layout *layout, struct stage *stage) {
  const char *destination;
  struct field content;
  if (!take_destination(layout, stage, &destination) || !layout_next(layout, &content)) return misused();
  return stage_file(stage, destination, &content);
}

static int do_text(struct layout *layout, struct stage *stage) {
  const char *destination;
  struct field content;
  if (!take_destination(layout, stage, &destination) || !layout_next(layout, &content)) return misused();
  return stage_text(stage, destination, &content);
}

static int do_mask(struct layout *layout, struct stage *stage) {
  const char *destination;
  unsigned long long mode;
  if (!take_destination(layout, stage, &destination) || !layout_number(layout, 8, MODE_MAX, &mode)) return misused();
  return stage_mask(stage, destination, (mode_t)mode);
}

static int do_scratch(struct layout *layout, struct stage *stage) {
  const char *destination, *mode, *bytes;
  if (!take_destination(layout, stage, &destination) || !layout_text(layout, &mode) || !layout_text(layout, &bytes)) return misused();
  return memory_scratch(stage, destination, mode, bytes);
}

static int do_devices(struct layout *layout, struct stage *stage) {
  const char *destination;
  return take_destination(layout, stage, &destination) ? memory_devices(stage, destination) : misused();
}

static int do_hide(struct layout *layout, struct stage *stage) {
  const char *place;
  return stage->root >= 0 && take_absolute(layout, &place) ? stage_hide(stage, place) : misused();
}

static int do_share(struct layout *layout, struct stage *stage) {
  const char *destination;
  return take_destination(layout, stage, &destination) ? stage_share(stage, destination) : misused();
}

static const struct {
  const char *name;
  int (*run)(struct layout *, struct stage *);
} operations[] = {
    {"uid", do_uid},   {"join", do_join},       {"stage", do_stage},     {"bind", do_bind},           {"bind-ro", do_bind_ro},
    {"idmap", do_idmap}, {"idmap-ro", do_idmap_ro}, {"directory", do_directory}, {"link", do_link},           {"file", do_file},
    {"text", do_text}, {"mask", do_mask},       {"scratch", do_scratch}, {"devices", do_devices},     {"share", do_share},
    {"manage", do_manage}, {"hide", do_hide},   {"channel", do_channel}, {"unflag", do_unflag},
};

static int do_named(const char *name, struct layout *layout, struct stage *stage) {
  for (size_t index = 0; index < sizeof operations / sizeof *operations; index++) {
    if (strcmp(operations[index].name, name) == 0) return operations[index].run(layout, stage);
  }
  return misused();
}

static int take_command(struct layout *layout, char ***command) {
  unsigned long long count;
  if (!layout_number(layout, 10, ARGUMENTS_MAX, &count) || count == 0) return misused();
  char **arguments = calloc(count + 1, sizeof *arguments);
  for (size_t index = 0; arguments != NULL && index < count; index++) {
    struct field field;
    if (!layout_next(layout, &field) || strlen(field.text) != field.length) return misused();
    arguments[index] = (char *)(size_t)field.text; // execve(2) takes no const
  }
  *command = arguments;
  return arguments != NULL && arguments[0][0] == '/' ? 0 : misused();
}

int operations_do(struct layout *layout, struct stage *stage, char ***command) {
  for (;;) {
    const char *name;
    if (!layout_text(layout, &name)) return misused();
    if (strcmp(name, command == NULL ? "seal" : "run") == 0) return command == NULL ? stage_seal(stage) : take_command(layout, command);
    const int status = do_named(name, layout, stage);
    if (status != 0) return status;
  }
}
