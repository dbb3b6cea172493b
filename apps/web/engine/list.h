// Growable lists of any type. Zeroed: empty. What grows returns false when out of memory and leaves the list as it was.
#ifndef WEB_LIST_H
#define WEB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define LIST(type)                                                                                           \
    struct                                                                                                   \
    {                                                                                                        \
        type* data;                                                                                          \
        size_t count, capacity;                                                                              \
    }

// Reserve memory for `wanted` elements of a size.
static inline bool list_reserve(void** data, size_t* capacity, size_t size, size_t wanted)
{
    if (wanted <= *capacity)
    {
        return true;
    }
    const size_t new_capacity = wanted + wanted / 2 + 8;
    void* larger = new_capacity <= SIZE_MAX / size ? realloc(*data, new_capacity * size) : NULL;
    if (larger != NULL)
    {
        *data = larger;
        *capacity = new_capacity;
    }
    return larger != NULL;
}

#define LIST_RESERVE(list, wanted)                                                                           \
    list_reserve((void**)&(list)->data, &(list)->capacity, sizeof *(list)->data, (wanted))
#define LIST_PUSH(list, value)                                                                               \
    (LIST_RESERVE((list), (list)->count + 1) ? ((list)->data[(list)->count++] = (value), true) : false)
// New elements are not initialised.
#define LIST_RESIZE(list, wanted) (LIST_RESERVE((list), (wanted)) ? ((list)->count = (wanted), true) : false)
#define LIST_FREE(list)           (free((list)->data), (list)->data = NULL, (list)->count = 0, (list)->capacity = 0)

typedef LIST(float) FloatList;
typedef LIST(uint32_t) IndexList;

#endif
