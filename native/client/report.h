// What a person reads on standard error when there is something to say.
#ifndef GLOVEBOX_CLIENT_REPORT_H
#define GLOVEBOX_CLIENT_REPORT_H

#include <stdbool.h>

#include "hear.h"
#include "relay.h"

// Whoever runs it is told what is waited for.
void report_asked(const struct hearing *hearing, bool is_for_chinese);

// @returns the exit code
int report(const struct relayed *relayed, const struct hearing *hearing, bool is_for_chinese);

#endif
