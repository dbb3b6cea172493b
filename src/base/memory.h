// All memory of the library goes through here, so that it can be hooked, counted and limited.
#ifndef RBL_BASE_MEMORY_H
#define RBL_BASE_MEMORY_H

#include "rubble/allocator.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The current allocator. The pointer is valid for the life of the program.
const rblAllocator* rbl_default_allocator(void);

// Null when out of memory or when size is 0. Aligned for any type, up to 16 bytes.
void* rbl_alloc(const rblAllocator* allocator, size_t size);

// The same, all bits zero.
void* rbl_alloc_zero(const rblAllocator* allocator, size_t size);

// `size` must be the size passed to rbl_alloc. Null memory is allowed.
void rbl_free(const rblAllocator* allocator, void* memory, size_t size);

// Product of two sizes; false when it does not fit. Use it whenever a count comes from a file or a caller.
bool rbl_checked_multiply(size_t a, size_t b, size_t* out);

// Typed array allocation with the overflow check built in. Null on failure.
#define RBL_NEW_ARRAY(allocator, type, count) ((type*)rbl_alloc_array((allocator), sizeof(type), (count)))
#define RBL_FREE_ARRAY(allocator, pointer, count)                                                            \
    rbl_free((allocator), (pointer), sizeof *(pointer) * (count))
void* rbl_alloc_array(const rblAllocator* allocator, size_t element_size, size_t count);

#endif
