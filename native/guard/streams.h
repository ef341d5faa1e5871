// The streams of a command: pipes, or one terminal. All are made here; the caller's descriptors never enter a sandbox.
#ifndef GLOVEBOX_STREAMS_H
#define GLOVEBOX_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

struct streams {
  int input, output[2]; // the guard's ends; output[1] is -1 for a terminal
  int child[3];         // the command's ends
};

// 0, or an errno, and then nothing is open.
int streams_open_pipes(struct streams *streams);
int streams_open_terminal(struct streams *streams, uint16_t rows, uint16_t columns);
void streams_close_child(struct streams *streams);
void streams_close(struct streams *streams);
int terminal_resize(int terminal, uint16_t rows, uint16_t columns);
// The byte that means "end of input" on this terminal.
uint8_t terminal_end_byte(int terminal);

#endif
