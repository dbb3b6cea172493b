// Memory that is freed all at once: what a command line was understood as, texts that tables are filled with.
#ifndef RUBBLE_TOOL_STORE_H
#define RUBBLE_TOOL_STORE_H

#include <stddef.h>

typedef struct StoreBlock StoreBlock;

// Zeroed: empty.
typedef struct Store
{
    StoreBlock* last;
} Store;

// `count` things of a size, all bits zero, aligned for any type. Null when out of memory.
void* store_alloc(Store* store, size_t count, size_t size);
#define STORE_ARRAY(store, type, count) ((type*)store_alloc((store), (count), sizeof(type)))

// A larger copy of an array with `count` elements, at least one more and half as many again; the old one stays until the end.
void* store_grow(Store* store, const void* array, size_t count, size_t size, size_t* capacity);

// Fine on an empty one, and twice.
void store_free(Store* store);

// malloc; tests put one in its place that fails.
extern void* (*store_malloc)(size_t size);

#endif
