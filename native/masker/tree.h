// The directories that are watched, as the sandbox names them.
#ifndef GLOVEBOX_MASKER_TREE_H
#define GLOVEBOX_MASKER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules.h"

struct node {
  struct node *parent; // NULL: `name` is an absolute path
  struct node *first_child, *next_sibling, **owner;
  struct node *next_of_name, *next_of_watch;
  const struct states *states;
  int watch; // -1: none yet
  bool folds;
  size_t length;
  char name[];
};

extern size_t node_count;

// An absolute path without links; grows as it needs to.
struct path {
  char *bytes;
  size_t length;
};

// The child, made when it is not there yet.
struct node *node_child(struct node *parent, struct text name, const struct states *states);
struct node *node_root(struct text path, const struct states *states);
struct node *node_find(const struct node *parent, struct text name);
void node_set_watch(struct node *node, int watch);
// First of the nodes that share a watch; the others by `next_of_watch`.
struct node *node_of_watch(int watch);
// `forget` is called with each watch that no node uses any more.
void node_remove(struct node *node, void (*forget)(int watch));
void node_remove_all(void);

// The path of `name` in the node, or of the node itself when the name is empty. Valid until the next call.
struct path node_path(const struct node *node, struct text name);
// O_RDONLY descriptor of the directory: no link on the way is followed. -1 and errno.
int node_open(const struct node *node);

#endif
