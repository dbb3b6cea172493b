/// Progress of long work, and how to stop it.
#ifndef RUBBLE_PROGRESS_H
#define RUBBLE_PROGRESS_H

#include "rubble/linkage.h"
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

/// Called now and then by work that takes long, by one thread at a time, with the part that is done: 0 to 1. Returns true to go
/// on. False cancels: the call that does the work then returns RBL_ERROR_CANCELLED, as soon as it can.
typedef bool rblProgressFcn(double fraction, void* context);

/// Whom to tell. Zeros: nobody.
typedef struct rblProgress
{
    rblProgressFcn* report; ///< may be null
    void* context;          ///< handed to it
} rblProgress;

RBL_EXTERN_C_END

#endif
