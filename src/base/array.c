#include "base/array.h"

#include <string.h>

bool rbl_array_grow(void** data, size_t* capacity, size_t element_size, size_t wanted, bool amortised,
                    const rblAllocator* allocator)
{
    size_t target = wanted;
    if (amortised)
    {
        const size_t larger = *capacity + *capacity / 2 + 8;
        target = larger > wanted ? larger : wanted;
    }
    void* grown = rbl_alloc_array(allocator, element_size, target);
    if (grown == NULL)
    {
        return false;
    }
    if (*capacity != 0)
    {
        memcpy(grown, *data, *capacity * element_size);
        rbl_free(allocator, *data, *capacity * element_size);
    }
    *data = grown;
    *capacity = target;
    return true;
}

bool rbl_array_replace(void** data, size_t* capacity, size_t element_size, size_t wanted, size_t ample,
                       const rblAllocator* allocator)
{
    rbl_free(allocator, *data, *capacity * element_size);
    *data = NULL;
    *capacity = 0;
    const size_t twice = wanted <= SIZE_MAX / 2 ? 2 * wanted : wanted;
    const size_t target = ample > twice ? ample : twice;
    void* fresh = rbl_alloc_array(allocator, element_size, target);
    if (fresh == NULL)
    {
        return false;
    }
    *data = fresh;
    *capacity = target;
    return true;
}
