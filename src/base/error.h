// Result codes with messages. `return rbl_fail(RBL_ERROR_FORMAT, "%s:%u: bad index %lld", ...)` is the only way to fail.
#ifndef RBL_BASE_ERROR_H
#define RBL_BASE_ERROR_H

#include "rubble/result.h"

#if defined(__GNUC__)
#define RBL_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define RBL_PRINTF_LIKE(text, first)
#endif

#define RBL_ERROR_TEXT_SIZE 512

// Store the message for rbl_last_error() on this thread and return `result`. Do not print floating point through
// this: printf's decimal point depends on the locale (rbl_format_double in number.h does not).
rblResult rbl_fail(rblResult result, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

// RBL_ERROR_MEMORY with the standard message.
rblResult rbl_fail_memory(void);

// Put "prefix: " in front of the stored message; returns `result` unchanged.
rblResult rbl_fail_within(rblResult result, const char* prefix);

// Return the failure of `call` from the enclosing function.
#define RBL_TRY(call)                                                                                        \
    do                                                                                                       \
    {                                                                                                        \
        const rblResult rbl_try_result = (call);                                                             \
        if (rbl_try_result != RBL_OK)                                                                        \
        {                                                                                                    \
            return rbl_try_result;                                                                           \
        }                                                                                                    \
    } while (0)

#endif
