// The rest of the program's life: what is refused is told, and the command's end is its own.
#ifndef GLOVEBOX_CAPTIVE_WATCH_H
#define GLOVEBOX_CAPTIVE_WATCH_H

struct watched {
  int command; // a descriptor of its process
  int channel;
  int logs[2]; // -1: none
};

// Returns when the command has ended.
void watch(struct watched *watched);

#endif
