// An allocator that runs dry: the n-th allocation fails, and all after it. Counts what is alive.
//   FailingAllocator memory;
//   failing_allocator_start(&memory, n); ... &memory.allocator ...; assert_int_equal(memory.live, 0);
#ifndef RBL_TESTS_FAILING_ALLOCATOR_H
#define RBL_TESTS_FAILING_ALLOCATOR_H

#include "rubble/allocator.h"
#include <stdlib.h>

typedef struct FailingAllocator
{
    rblAllocator allocator; // its context is set by failing_allocator_start()
    size_t left;            // allocations still granted
    size_t live;            // bytes
} FailingAllocator;

static inline void* failing_alloc(size_t size, size_t alignment, void* context)
{
    FailingAllocator* memory = context;
    if (memory->left == 0)
    {
        return NULL;
    }
    memory->left -= 1;
    memory->live += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void failing_free(void* pointer, size_t size, void* context)
{
    FailingAllocator* memory = context;
    memory->live -= size;
    free(pointer);
}

static inline void failing_allocator_start(FailingAllocator* memory, size_t granted)
{
    *memory = (FailingAllocator){.allocator = rbl_default_allocator_def(), .left = granted};
    memory->allocator.alloc = failing_alloc;
    memory->allocator.free = failing_free;
    memory->allocator.context = memory;
}

#endif
