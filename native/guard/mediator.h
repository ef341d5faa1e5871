// The mediator of one command: threads of its keeper that answer what its filter notifies. INVARIANT I-04
#ifndef GLOVEBOX_MEDIATOR_H
#define GLOVEBOX_MEDIATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MEDIATOR_WAITS_MAX 64 // threads that may wait on behalf of a caller

// Makes the threads, before the command is there: it may use up the processes that its limit leaves. False: there are none for them.
bool mediator_enlist(void);
// Starts answering; `mask` is the umask that the command begins with. False: the keeper must end, and with it everything. `report` sends what the mediator refused to the guard.
typedef void (*mediator_reporter)(uint32_t call, uint32_t error, uint32_t rule, const char *path, uint32_t length);
// `report_limit` tells it of the first file that would have become too long.
typedef void (*mediator_limit_reporter)(uint64_t length);
bool mediator_start(int listener, mode_t mask, mediator_reporter report, mediator_limit_reporter report_limit);
// For the thread that has nothing else to do: called once, when turn_alarm() is readable, and when the milliseconds are over that it gives (-1: never).
int mediator_look_out(void);
// The command's tree is gone: looks at what it left open, and gives the number of refusals.
uint32_t mediator_finish(void);

// For the parts of the mediator.
bool mediator_start_thread(void *(*run)(void *), void *argument);
void mediator_report(const char *path, uint32_t call, uint32_t rule, uint32_t error);
// Once for a command: what comes later is not told.
void mediator_report_file_limit(uint64_t length);
// As mediator_report, with the path that a descriptor has now.
void mediator_report_file(int file, uint32_t call, uint32_t rule, uint32_t error);
// Around what may hold the calling thread for long: another one takes its place. False: too many wait already.
bool mediator_begin_wait(void);
void mediator_end_wait(void);

#endif
