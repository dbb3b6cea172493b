#include "base/log.h"

#include "base/thread.h"
#include <stdarg.h>
#include <stdio.h>

static rblMutex log_mutex = RBL_MUTEX_INIT;
static rblLogFcn* log_fcn;
static void* log_context;
static rblLogLevel log_lowest;

void rbl_set_log(rblLogFcn* fcn, void* context, rblLogLevel lowest)
{
    rbl_mutex_lock(&log_mutex);
    log_fcn = fcn;
    log_context = context;
    log_lowest = lowest;
    rbl_mutex_unlock(&log_mutex);
}

void rbl_log_message(rblLogLevel level, const char* format, ...)
{
    rbl_mutex_lock(&log_mutex);
    rblLogFcn* fcn = level >= log_lowest ? log_fcn : NULL;
    void* context = log_context;
    rbl_mutex_unlock(&log_mutex);
    if (fcn == NULL)
    {
        return;
    }
    char line[RBL_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fcn(level, line, context);
}
