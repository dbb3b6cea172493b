#include "store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct StoreBlock
{
    StoreBlock* before;
    max_align_t start[]; // what was asked for
};

void* (*store_malloc)(size_t size) = malloc;

void* store_alloc(Store* store, size_t count, size_t size)
{
    if (count > (SIZE_MAX - sizeof(StoreBlock)) / size)
    {
        return NULL;
    }
    StoreBlock* block = store_malloc(sizeof(StoreBlock) + count * size);
    if (block == NULL)
    {
        return NULL;
    }
    block->before = store->last;
    store->last = block;
    memset(block->start, 0, count * size);
    return block->start;
}

void* store_grow(Store* store, const void* array, size_t count, size_t size, size_t* capacity)
{
    const size_t wanted = count + count / 2 + 8;
    void* larger = store_alloc(store, wanted, size);
    if (larger != NULL)
    {
        memcpy(larger, count > 0 ? array : "", count * size);
        *capacity = wanted;
    }
    return larger;
}

void store_free(Store* store)
{
    while (store->last != NULL)
    {
        StoreBlock* before = store->last->before;
        free(store->last);
        store->last = before;
    }
}
