/// Log hook. The library is silent until one is set.
#ifndef RUBBLE_LOG_H
#define RUBBLE_LOG_H

#include "rubble/linkage.h"

RBL_EXTERN_C_BEGIN

/// Severity of a message.
typedef enum rblLogLevel
{
    RBL_LOG_DEBUG,
    RBL_LOG_INFO,
    RBL_LOG_WARNING,
    RBL_LOG_ERROR
} rblLogLevel;

/// Called with one line, without the line end. It can be called from any thread.
typedef void rblLogFcn(rblLogLevel level, const char* line, void* context);

/// Send messages of level `lowest` and above to `fcn`. Null fcn: no messages (the default). A call of the previous
/// function that has started on another thread may still be running when this returns.
RBL_API void rbl_set_log(rblLogFcn* fcn, void* context, rblLogLevel lowest);

RBL_EXTERN_C_END

#endif
