// An allocator that counts the bytes that it has handed out, on top of another one.
#ifndef RBL_BASE_COUNTED_MEMORY_H
#define RBL_BASE_COUNTED_MEMORY_H

#include "base/memory.h"
#include <stdatomic.h>

// Stays at its address while it is in use: `allocator` refers to it. Any thread may allocate and free.
typedef struct rblCountedMemory
{
    rblAllocator allocator;
    const rblAllocator* source;
    atomic_size_t bytes; // in use, as asked for
} rblCountedMemory;

void rbl_counted_memory_init(rblCountedMemory* memory, const rblAllocator* source);
size_t rbl_counted_memory_bytes(const rblCountedMemory* memory);

#endif
