/// Result codes. Every call that can fail returns one; the message says what is wrong, where, and what is allowed.
#ifndef RUBBLE_RESULT_H
#define RUBBLE_RESULT_H

#include "rubble/linkage.h"
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// The result of a call. After any code but RBL_OK nothing has changed and no output was written, unless the comment of
/// the call says otherwise.
typedef enum rblResult
{
    RBL_OK = 0,
    RBL_ERROR_ARGUMENT,    ///< null pointer, NaN, out of range, or a def not made by rbl_default_..._def()
    RBL_ERROR_STALE,       ///< the id is null, was destroyed, or belongs to another kind of object or world
    RBL_ERROR_MEMORY,      ///< the allocator returned null
    RBL_ERROR_FILE,        ///< a file could not be opened, read, written or renamed
    RBL_ERROR_FORMAT,      ///< the bytes are not a valid file of this format; the message names line or byte
    RBL_ERROR_UNSUPPORTED, ///< valid, but Rubble does not support this feature
    RBL_ERROR_GEOMETRY,    ///< the mesh cannot be used for this call: open, not manifold, empty, ...
    RBL_ERROR_LIMIT,       ///< larger than a stated limit (2^32 elements, nesting depth, ...)
    RBL_ERROR_BUSY, ///< not possible now: objects that depend on the old setting exist, or the object is in use
    RBL_ERROR_CANCELLED, ///< a progress function asked to stop
    RBL_RESULT_COUNT
} rblResult;

/// The index of nothing: what a query that finds nothing writes in place of an index, with RBL_OK. An id is then null, a count 0, a
/// distance or a parameter of a ray infinite.
#define RBL_NONE UINT32_MAX

/// A short fixed name of a result code, such as "argument". Never null.
RBL_API const char* rbl_result_name(rblResult result);

/// The message of the last failed call on this thread, one line, never null. Valid until the next failing call on this
/// thread.
RBL_API const char* rbl_last_error(void);

// ---- for functions of your own that return a result ----

/// Bytes of rbl_last_error() at most, terminator included: longer messages are cut off.
#define RBL_ERROR_TEXT_SIZE 512

/// Store a message for rbl_last_error() on this thread, formatted as by printf, and return `result`. Shapes, breakers and
/// callbacks of your own fail in this way. Null: "no message". printf's decimal point depends on the locale: rubble/text.h has numbers that do not.
RBL_API rblResult rbl_fail(rblResult result, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

/// Put "prefix: " in front of the stored message, nothing for null; returns `result` unchanged.
RBL_API rblResult rbl_fail_within(rblResult result, const char* prefix);

/// Carry on when `call` succeeds, or return its result from the enclosing function.
#define RBL_TRY(call)                                                                                        \
    do                                                                                                       \
    {                                                                                                        \
        const rblResult rbl_try_result = (call);                                                             \
        if (rbl_try_result != RBL_OK)                                                                        \
        {                                                                                                    \
            return rbl_try_result;                                                                           \
        }                                                                                                    \
    } while (0)

RBL_EXTERN_C_END

#endif
