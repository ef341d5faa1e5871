// What a layout may ask for, one after the other.
#ifndef GLOVEBOX_OPERATIONS_H
#define GLOVEBOX_OPERATIONS_H

#include "layout.h"
#include "stage.h"

// Does all that the layout says up to `run`, whose arguments it leaves in *command (allocated, ends with NULL); or, with NULL instead, up to
// and with `seal`. 0, or the status of a failure that is already reported.
int operations_do(struct layout *layout, struct stage *stage, char ***command);

#endif
