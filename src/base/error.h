// Result codes with messages. `return rbl_fail(RBL_ERROR_FORMAT, "%s:%u: bad index %lld", ...)` is the one way to fail
// (rubble/result.h).
#ifndef RBL_BASE_ERROR_H
#define RBL_BASE_ERROR_H

#include "rubble/result.h"

// RBL_ERROR_MEMORY with the standard message.
rblResult rbl_fail_memory(void);

#endif
