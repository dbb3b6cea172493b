/// Result codes. Every call that can fail returns one; the message says what, where and what to do.
#ifndef RUBBLE_RESULT_H
#define RUBBLE_RESULT_H

#include "rubble/export.h"

RBL_EXTERN_C_BEGIN

/// What became of a call. Anything but RBL_OK means that nothing was changed and no output was written,
/// unless the call says otherwise.
typedef enum rblResult
{
    RBL_OK = 0,
    RBL_ERROR_ARGUMENT,    ///< null pointer, NaN, out of range, or a def not made by rbl_default_..._def()
    RBL_ERROR_STALE,       ///< the id is null, was destroyed, or belongs to something else
    RBL_ERROR_MEMORY,      ///< the allocator returned null
    RBL_ERROR_FILE,        ///< a file could not be opened, read, written or renamed
    RBL_ERROR_FORMAT,      ///< the bytes are not a valid file of their kind; the message names line or byte
    RBL_ERROR_UNSUPPORTED, ///< valid, but a feature that Rubble does not read
    RBL_ERROR_GEOMETRY,    ///< the mesh cannot be used for this: open, not manifold, empty, ...
    RBL_ERROR_LIMIT,       ///< larger than a stated limit (2^32 elements, nesting depth, ...)
    RBL_ERROR_BUSY,        ///< not now: objects that depend on the old setting are alive
    RBL_RESULT_COUNT
} rblResult;

/// A short fixed name of a result code, such as "argument". Never null.
RBL_API const char* rbl_result_name(rblResult result);

/// What went wrong in the last failed call on this thread, one line, never null. Valid until the next failing
/// call on this thread.
RBL_API const char* rbl_last_error(void);

RBL_EXTERN_C_END

#endif
