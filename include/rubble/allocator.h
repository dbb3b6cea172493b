/// Allocator hooks.
#ifndef RUBBLE_ALLOCATOR_H
#define RUBBLE_ALLOCATOR_H

#include "rubble/linkage.h"
#include "rubble/result.h"
#include <stddef.h>

RBL_EXTERN_C_BEGIN

/// Allocation functions. Both must be callable from any thread. Start from rbl_default_allocator_def() and set them.
typedef struct rblAllocator
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_allocator_def()
    uint32_t cookie;      ///< set by rbl_default_allocator_def()
    void* (*alloc)(size_t size, size_t alignment,
                   void* context); ///< null when out of memory; alignment is a power of two
    void (*free)(void* memory, size_t size, void* context); ///< size is the size passed to alloc
    void* context;                                          ///< passed to both functions
} rblAllocator;

/// Size and cookie are set, all other fields are zero.
RBL_API void rbl_allocator_def_init(rblAllocator* allocator, size_t size);
static inline rblAllocator rbl_default_allocator_def(void)
{
    rblAllocator allocator;
    rbl_allocator_def_init(&allocator, sizeof allocator);
    return allocator;
}

/// Set the allocator of all objects created from now on. Null restores malloc and free. Refused: an allocator that did not start from
/// the default or lacks a function; RBL_ERROR_BUSY while any object of the library exists (threads of rbl_set_tasks() included). No
/// other call may run on another thread.
RBL_API rblResult rbl_set_allocator(const rblAllocator* allocator);

/// Bytes that Rubble has allocated at this moment, through any allocator.
RBL_API size_t rbl_bytes_in_use(void);

/// The largest value of rbl_bytes_in_use() so far.
RBL_API size_t rbl_peak_bytes(void);

RBL_EXTERN_C_END

#endif
