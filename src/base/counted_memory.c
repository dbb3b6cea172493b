#include "base/counted_memory.h"

static void* alloc_counted(size_t size, size_t alignment, void* context)
{
    rblCountedMemory* memory = context;
    void* out = memory->source->alloc(size, alignment, memory->source->context);
    if (out != NULL)
    {
        atomic_fetch_add_explicit(&memory->bytes, size, memory_order_relaxed);
    }
    return out;
}

static void free_counted(void* pointer, size_t size, void* context)
{
    rblCountedMemory* memory = context;
    memory->source->free(pointer, size, memory->source->context);
    atomic_fetch_sub_explicit(&memory->bytes, size, memory_order_relaxed);
}

void rbl_counted_memory_init(rblCountedMemory* memory, const rblAllocator* source)
{
    memory->allocator = (rblAllocator){.alloc = alloc_counted, .free = free_counted, .context = memory};
    memory->source = source;
    atomic_init(&memory->bytes, 0);
}

size_t rbl_counted_memory_bytes(const rblCountedMemory* memory)
{
    return atomic_load_explicit(&memory->bytes, memory_order_relaxed);
}
