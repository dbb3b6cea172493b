#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise
#endif
#include "base/memory.h"

#include "base/def.h"
#include "base/error.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

// Alignment of all blocks, in bytes: that of SIMD vectors of four floats.
#define RBL_ALIGNMENT 16

#if defined(__linux__) && defined(MADV_HUGEPAGE)
// Size of a large page on Linux, bytes, and the smallest block that can contain one.
#define HUGE_PAGE    ((size_t)2 << 20)
#define LARGE_ENOUGH HUGE_PAGE

// Request large pages inside a large block. Without them page faults take a third of the time of reading a file of a
// million triangles. This is only advice: where the system ignores it nothing changes.
static void advise_large_pages(void* memory, size_t size)
{
    if (size < LARGE_ENOUGH)
    {
        return;
    }
    const uintptr_t begin = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    const uintptr_t end = ((uintptr_t)memory + size) & ~(HUGE_PAGE - 1);
    (void)madvise((void*)begin, end - begin, MADV_HUGEPAGE);
}
#else
static void advise_large_pages(void* memory, size_t size)
{
    (void)memory;
    (void)size;
}
#endif

static void* default_alloc(size_t size, size_t alignment, void* context)
{
    (void)context;
    // aligned_alloc requires a multiple of the alignment.
    const size_t rounded = (size + alignment - 1) & ~(alignment - 1);
    void* memory = rounded < size ? NULL : aligned_alloc(alignment, rounded);
    if (memory != NULL)
    {
        advise_large_pages(memory, rounded);
    }
    return memory;
}

static void default_free(void* memory, size_t size, void* context)
{
    (void)size;
    (void)context;
    free(memory);
}

static rblAllocator global_allocator = {.alloc = default_alloc, .free = default_free};
static atomic_size_t bytes_in_use;
static atomic_size_t peak_bytes;

const rblAllocator* rbl_default_allocator(void)
{
    return &global_allocator;
}

RBL_DEF_KIND(allocator_def, rblAllocator, "allocator", rbl_default_allocator_def, 0xA110CA7Eu);

void rbl_allocator_def_init(rblAllocator* allocator, size_t size)
{
    const rblAllocator defaults = {.alloc = NULL};
    rbl_def_init(&allocator_def, &defaults, allocator, size);
}

rblResult rbl_set_allocator(const rblAllocator* allocator)
{
    rblAllocator chosen = {.alloc = default_alloc, .free = default_free};
    if (allocator != NULL)
    {
        chosen = rbl_default_allocator_def();
        RBL_TRY(rbl_def_read(&allocator_def, allocator, &chosen));
    }
    if (chosen.alloc == NULL || chosen.free == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "allocator: alloc and free must not be null");
    }
    if (atomic_load(&bytes_in_use) != 0)
    {
        return rbl_fail(RBL_ERROR_BUSY, "allocator: %zu bytes are in use; destroy every object first",
                        atomic_load(&bytes_in_use));
    }
    global_allocator = chosen;
    return RBL_OK;
}

size_t rbl_bytes_in_use(void)
{
    return atomic_load(&bytes_in_use);
}

size_t rbl_peak_bytes(void)
{
    return atomic_load(&peak_bytes);
}

static void count_bytes(size_t size)
{
    const size_t now = atomic_fetch_add(&bytes_in_use, size) + size;
    size_t peak = atomic_load(&peak_bytes);
    while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now))
    {
    }
}

void* rbl_alloc(const rblAllocator* allocator, size_t size)
{
    if (size == 0)
    {
        return NULL;
    }
    void* memory = allocator->alloc(size, RBL_ALIGNMENT, allocator->context);
    if (memory != NULL)
    {
        count_bytes(size);
    }
    return memory;
}

void* rbl_alloc_zero(const rblAllocator* allocator, size_t size)
{
    void* memory = rbl_alloc(allocator, size);
    return memory != NULL ? memset(memory, 0, size) : NULL;
}

void rbl_free(const rblAllocator* allocator, void* memory, size_t size)
{
    if (memory == NULL)
    {
        return;
    }
    // The count is decreased last: while it is zero, rbl_set_allocator() may replace the allocator that is called
    // here.
    allocator->free(memory, size, allocator->context);
    atomic_fetch_sub(&bytes_in_use, size);
}

bool rbl_checked_multiply(size_t a, size_t b, size_t* out)
{
    if (b != 0 && a > SIZE_MAX / b)
    {
        return false;
    }
    *out = a * b;
    return true;
}

void* rbl_alloc_array(const rblAllocator* allocator, size_t element_size, size_t count)
{
    size_t size;
    return rbl_checked_multiply(element_size, count, &size) ? rbl_alloc(allocator, size) : NULL;
}
