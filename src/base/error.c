#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_error[RBL_ERROR_TEXT_SIZE];

const char* rbl_result_name(rblResult result)
{
    static const char* const names[RBL_RESULT_COUNT] = {"ok",    "argument", "stale",       "memory",
                                                        "file",  "format",   "unsupported", "geometry",
                                                        "limit", "busy",     "cancelled"};
    return (unsigned)result < RBL_RESULT_COUNT ? names[result] : "unknown";
}

const char* rbl_last_error(void)
{
    return last_error;
}

rblResult rbl_fail(rblResult result, const char* format, ...)
{
    // The arguments may point into the old message, so the new one is formatted to a separate buffer first.
    char text[RBL_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format != NULL ? format : "no message", arguments);
    va_end(arguments);
    memcpy(last_error, text, sizeof text);
    return result;
}

rblResult rbl_fail_memory(void)
{
    return rbl_fail(RBL_ERROR_MEMORY, "out of memory");
}

rblResult rbl_fail_within(rblResult result, const char* prefix)
{
    return prefix != NULL ? rbl_fail(result, "%s: %s", prefix, last_error) : result;
}
