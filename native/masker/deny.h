// Denies one name: masks it, what it leads to when it is a link, and tells the host.
#ifndef GLOVEBOX_MASKER_DENY_H
#define GLOVEBOX_MASKER_DENY_H

#include <stdbool.h>

#include "tree.h"

// True when it is masked now, also when it was already. False: it is gone.
bool deny_name(struct node *directory, int fd, struct text name, uint16_t rule, uint8_t marks);
// A whole place that a glob denies. `place` ends with NUL.
void deny_place(struct text place, uint16_t rule);
// Watches where the target of a link lies.
void deny_watch_parent(const char *path, size_t length);
void deny_forget(struct node *node);

#endif
