/// Result codes. Every call that can fail returns one; the message says what is wrong, where, and what is allowed.
#ifndef RUBBLE_RESULT_H
#define RUBBLE_RESULT_H

#include "rubble/export.h"

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
    RBL_RESULT_COUNT
} rblResult;

/// A short fixed name of a result code, such as "argument". Never null.
RBL_API const char* rbl_result_name(rblResult result);

/// The message of the last failed call on this thread, one line, never null. Valid until the next failing call on this
/// thread.
RBL_API const char* rbl_last_error(void);

RBL_EXTERN_C_END

#endif
