// What commands may not ask the kernel for: one row per system call.
#ifndef GLOVEBOX_SYSCALL_TABLE_H
#define GLOVEBOX_SYSCALL_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum row_kind {
  ROW_ALWAYS,      // refused
  ROW_BITS,        // refused when argument `argument` holds any of `bits`
  ROW_NAMESPACES,  // as ROW_BITS; where namespaces may nest, some of the bits are not refused
  ROW_NESTED,      // refused, but where namespaces may nest
  ROW_GVISOR_LIMIT, // refused under gVisor, when argument `argument` is the limit that marks trees
  ROW_NETFILTER,   // refused where namespaces may nest: options of a socket that load tables of a firewall
  ROW_MEDIATED,    // handed to the mediator
  ROW_IOCTL,       // refused when argument `argument` is one of `refused_ioctls`
  ROW_NONZERO,     // refused when argument `argument` is not 0
  ROW_UNLESS_BITS, // refused unless argument `argument` holds one of `bits`
  ROW_CREATE_MODE, // refused when flags in `argument` create a file and the mode in the next argument holds any of `bits`
  ROW_NUMBERS,     // handed to the mediator when argument `argument` is one of its numbers
  ROW_BEYOND,      // handed to the mediator when argument `argument`, an offset, is beyond what a file may have
  ROW_SEEK,        // as ROW_BEYOND, when argument 2 says SEEK_SET
  ROW_SOCKET,      // families and types as in bpf code of filter.c
};

enum row_mediation {
  ROW_GOES_ON,
  ROW_NOTIFIES,
  ROW_NOTIFIES_STRICT, // also where namespaces may nest: whoever is root in one of his own may give files capabilities
};

struct syscall_row {
  const char *name;
  uint32_t number;
  enum row_kind kind;
  int error;
  unsigned argument;
  uint32_t bits;
  enum row_mediation mediation; // what the row does not refuse goes to the mediator, when there is one (ROW_CREATE_MODE: what writes; strict: all)
};

extern const struct syscall_row syscall_rows[];
extern const size_t syscall_row_count;
extern const uint32_t refused_ioctls[];
extern const size_t refused_ioctl_count;

// Newer system calls than these are unknown to the table: they answer ENOSYS, so that nothing is allowed by our not knowing it.
#define SYSCALL_NEWEST 469u // file_setattr, Linux 6.17; from 424 on the numbers of x86_64 and aarch64 are the same

#endif
