// The mediator of one command: threads of its keeper that answer what its filter notifies. INVARIANT I-04
#ifndef GLOVEBOX_MEDIATOR_H
#define GLOVEBOX_MEDIATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "answer.h"

// Starts answering; `mask` is the umask that the command begins with. False: the keeper must end, and with it everything. `report` sends what the mediator refused to the guard.
typedef void (*mediator_reporter)(uint32_t call, uint32_t error, uint32_t rule, const char *path, uint32_t length);
// `report_limit` tells it of the first file that would have become too long.
typedef void (*mediator_limit_reporter)(uint64_t length);
bool mediator_start(int listener, mode_t mask, mediator_reporter report, mediator_limit_reporter report_limit);
// The command's tree is gone: looks at what it left open, and gives the number of refusals.
uint32_t mediator_finish(void);

// For the parts of the mediator.
struct answer mediator_answer(const struct caller *caller, int number, const uint64_t *arguments);
void mediator_report(const char *path, uint32_t call, uint32_t rule, uint32_t error);
// Once for a command: what comes later is not told.
void mediator_report_file_limit(uint64_t length);
// As mediator_report, with the path that a descriptor has now.
void mediator_report_file(int file, uint32_t call, uint32_t rule, uint32_t error);

#endif
