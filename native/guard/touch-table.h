// What is in the touch log already: a set of keys in memory that all keepers share, and the lock of the log.
#ifndef GLOVEBOX_TOUCH_TABLE_H
#define GLOVEBOX_TOUCH_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOUCH_SLOTS (1u << 20)

// All zero pages until they are used. Everything below the lock is its holder's.
struct touch_shared {
  pthread_mutex_t lock;
  uint64_t end;                // of the log
  uint64_t kept, listed;       // bytes of contents; of everything else
  uint64_t missed;             // touches that could not be written down
  uint64_t key[2];
  uint32_t count;
  uint64_t slots[TOUCH_SLOTS]; // 0: free
};

// NULL: errno says why.
struct touch_shared *touch_table_make(void);

enum touch_found { TOUCH_NEW, TOUCH_KNOWN, TOUCH_FULL };
// Adds a key of the given kind, unless it is there. Under the lock.
enum touch_found touch_table_add(struct touch_shared *shared, char kind, const void *bytes, size_t length);

#endif
