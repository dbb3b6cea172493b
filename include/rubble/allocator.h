/// Allocator hooks.
#ifndef RUBBLE_ALLOCATOR_H
#define RUBBLE_ALLOCATOR_H

#include "rubble/export.h"
#include "rubble/result.h"
#include <stddef.h>

RBL_EXTERN_C_BEGIN

/// Where memory comes from. Both functions must be callable from any thread.
typedef struct rblAllocator
{
    void* (*alloc)(size_t size, size_t alignment,
                   void* context); ///< null when out of memory; alignment is a power of two
    void (*free)(void* memory, size_t size, void* context); ///< size is what alloc was asked for
    void* context;                                          ///< handed to both
} rblAllocator;

/// Replace the allocator of everything created from now on. Null restores malloc and free.
/// RBL_ERROR_BUSY while any object of the library is alive (threads of rbl_set_tasks() included),
/// RBL_ERROR_ARGUMENT when a function is missing. No other call may be under way on another thread.
RBL_API rblResult rbl_set_allocator(const rblAllocator* allocator);

/// Bytes that Rubble holds at this moment, through whichever allocator.
RBL_API size_t rbl_bytes_in_use(void);

/// The largest value of rbl_bytes_in_use() so far.
RBL_API size_t rbl_peak_bytes(void);

RBL_EXTERN_C_END

#endif
