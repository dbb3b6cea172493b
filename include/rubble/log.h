/// Log hook. The library is silent until one is set.
#ifndef RUBBLE_LOG_H
#define RUBBLE_LOG_H

#include "rubble/export.h"

RBL_EXTERN_C_BEGIN

/// How much a message matters.
typedef enum rblLogLevel
{
    RBL_LOG_DEBUG,
    RBL_LOG_INFO,
    RBL_LOG_WARNING,
    RBL_LOG_ERROR
} rblLogLevel;

/// Called with one line, without a line end. May be called from any thread.
typedef void rblLogFcn(rblLogLevel level, const char* line, void* context);

/// Send messages of `lowest` and above to `fcn`. Null fcn: silence (the default). A call of the old function
/// that has begun on another thread may still be under way when this returns.
RBL_API void rbl_set_log(rblLogFcn* fcn, void* context, rblLogLevel lowest);

RBL_EXTERN_C_END

#endif
