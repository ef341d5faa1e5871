// Two tables find a node by its name in a directory and by its watch; both grow with the tree.
#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "report.h"

#define FIRST_BUCKETS 1024u
#define STEP_BYTES 4000u // a path longer than the kernel takes is opened in steps

size_t node_count;
static struct node **by_name, **by_watch;
static size_t buckets;
static struct node *roots;
static char *path_bytes;
static size_t path_room;

static void *must(void *memory) {
  if (memory == NULL) give_up(GM_TROUBLE_MEMORY, ENOMEM, NULL, 0);
  return memory;
}

static size_t name_bucket(const struct node *parent, struct text name) {
  uint64_t hash = (uint64_t)(uintptr_t)parent ^ 14695981039346656037ull;
  for (size_t at = 0; at < name.length; at++) hash = (hash ^ name.bytes[at]) * 1099511628211ull;
  return (size_t)(hash ^ hash >> 32) & (buckets - 1);
}

static size_t watch_bucket(int watch) {
  return ((size_t)watch * 2654435761u) & (buckets - 1);
}

static struct text name_of(const struct node *node) {
  return (struct text){(const uint8_t *)node->name, node->length};
}

static void link_name(struct node *node) {
  struct node **bucket = &by_name[name_bucket(node->parent, name_of(node))];
  node->next_of_name = *bucket;
  *bucket = node;
}

static void link_watch(struct node *node) {
  struct node **bucket = &by_watch[watch_bucket(node->watch)];
  node->next_of_watch = *bucket;
  *bucket = node;
}

static void relink(struct node *first) {
  for (struct node *node = first; node != NULL; node = node->next_sibling) {
    link_name(node);
    if (node->watch >= 0) link_watch(node);
  }
}

// Every node once, without recursion: a tree may be as deep as somebody likes.
static struct node *following(struct node *node, const struct node *top) {
  if (node->first_child != NULL) return node->first_child;
  while (node != top && node->next_sibling == NULL) node = node->parent;
  return node == top || node == NULL ? NULL : node->next_sibling;
}

static void grow(void) {
  if (node_count < buckets) return;
  buckets = buckets == 0 ? FIRST_BUCKETS : buckets * 2;
  free(by_name);
  free(by_watch);
  by_name = must(calloc(buckets, sizeof *by_name));
  by_watch = must(calloc(buckets, sizeof *by_watch));
  relink(roots);
  for (struct node *root = roots; root != NULL; root = root->next_sibling) {
    for (struct node *node = root; node != NULL; node = following(node, root)) relink(node->first_child);
  }
}

static struct node *make(struct node *parent, struct text name, const struct states *states) {
  grow();
  struct node *node = must(calloc(1, sizeof *node + name.length + 1));
  struct node **owner = parent == NULL ? &roots : &parent->first_child;
  *node = (struct node){.parent = parent, .next_sibling = *owner, .owner = owner, .states = states, .watch = -1, .length = name.length};
  memcpy(node->name, name.bytes, name.length);
  if (*owner != NULL) (*owner)->owner = &node->next_sibling;
  *owner = node;
  link_name(node);
  node_count++;
  return node;
}

struct node *node_find(const struct node *parent, struct text name) {
  if (buckets == 0) return NULL;
  for (struct node *node = by_name[name_bucket(parent, name)]; node != NULL; node = node->next_of_name) {
    if (node->parent == parent && node->length == name.length && memcmp(node->name, name.bytes, name.length) == 0) return node;
  }
  return NULL;
}

struct node *node_child(struct node *parent, struct text name, const struct states *states) {
  struct node *known = node_find(parent, name);
  return known != NULL ? known : make(parent, name, states);
}

struct node *node_root(struct text path, const struct states *states) {
  struct node *known = node_find(NULL, path);
  return known != NULL ? known : make(NULL, path, states);
}

static void unlink_watch(struct node *node) {
  struct node **at = &by_watch[watch_bucket(node->watch)];
  while (*at != node) at = &(*at)->next_of_watch;
  *at = node->next_of_watch;
  node->watch = -1;
}

void node_set_watch(struct node *node, int watch) {
  if (node->watch == watch) return;
  if (node->watch >= 0) unlink_watch(node);
  node->watch = watch;
  link_watch(node);
}

static struct node *same_watch(struct node *node, int watch) {
  while (node != NULL && node->watch != watch) node = node->next_of_watch;
  return node;
}

struct node *node_of_watch(int watch) {
  return buckets == 0 ? NULL : same_watch(by_watch[watch_bucket(watch)], watch);
}

static void remove_one(struct node *node, void (*forget)(int watch)) {
  const int watch = node->watch;
  if (watch >= 0) {
    unlink_watch(node);
    if (forget != NULL && node_of_watch(watch) == NULL) forget(watch);
  }
  struct node **at = &by_name[name_bucket(node->parent, name_of(node))];
  while (*at != node) at = &(*at)->next_of_name;
  *at = node->next_of_name;
  *node->owner = node->next_sibling;
  if (node->next_sibling != NULL) node->next_sibling->owner = node->owner;
  free(node);
  node_count--;
}

void node_remove(struct node *top, void (*forget)(int watch)) {
  for (struct node *node = top;;) {
    while (node->first_child != NULL) node = node->first_child;
    struct node *parent = node->parent;
    const bool done = node == top;
    remove_one(node, forget);
    if (done) return;
    node = parent;
  }
}

void node_remove_all(void) {
  while (roots != NULL) node_remove(roots, NULL);
}

static size_t add_front(size_t at, const char *bytes, size_t length) {
  memcpy(path_bytes + at - length, bytes, length);
  return at - length;
}

struct path node_path(const struct node *node, struct text name) {
  size_t needed = name.length + 2;
  for (const struct node *at = node; at != NULL; at = at->parent) needed += at->length + 1;
  if (needed > path_room) {
    path_room = needed * 2;
    path_bytes = must(realloc(path_bytes, path_room));
  }
  size_t at = path_room - 1;
  path_bytes[at] = '\0';
  if (name.length > 0) at = add_front(at, (const char *)name.bytes, name.length);
  for (; node != NULL; node = node->parent) {
    const bool is_top = node->parent == NULL && node->length == 1; // "/" brings its own slash
    if (at != path_room - 1 && !is_top) at = add_front(at, "/", 1);
    at = add_front(at, node->name, node->length);
  }
  return (struct path){path_bytes + at, path_room - 1 - at};
}

static int open_step(int from, const char *path) {
  const struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, from, path, &how, sizeof how);
}

int node_open(const struct node *node) {
  struct path path = node_path(node, (struct text){NULL, 0});
  int at = AT_FDCWD;
  while (path.length > STEP_BYTES) {
    char *cut = memrchr(path.bytes, '/', STEP_BYTES);
    if (cut == NULL || cut == path.bytes) cut = path.bytes + STEP_BYTES; // a name is at most 255 bytes: cannot be
    *cut = '\0';
    const int next = open_step(at, path.bytes);
    if (at != AT_FDCWD) close(at);
    if (next < 0) return -1;
    at = next;
    path.length -= (size_t)(cut + 1 - path.bytes);
    path.bytes = cut + 1;
  }
  const int fd = open_step(at, path.bytes);
  if (at != AT_FDCWD) close(at);
  return fd;
}
