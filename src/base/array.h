// Growable arrays of any type:
//   typedef RBL_ARRAY(uint32_t) rblIndexArray;
//   rblIndexArray a; rbl_array_init(&a, allocator); rbl_array_push(&a, 7u); ... rbl_array_free(&a);
// Push, reserve and resize return false when out of memory; the array is then unchanged.
#ifndef RBL_BASE_ARRAY_H
#define RBL_BASE_ARRAY_H

#include "base/memory.h"

#define RBL_ARRAY(type)                                                                                      \
    struct                                                                                                   \
    {                                                                                                        \
        type* data;                                                                                          \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
        const rblAllocator* allocator;                                                                       \
    }

typedef RBL_ARRAY(uint32_t) rblIndexArray;
typedef RBL_ARRAY(char) rblCharArray;
typedef RBL_ARRAY(float) rblFloatArray;
typedef RBL_ARRAY(double) rblDoubleArray;

#define rbl_array_init(array, alloc)                                                                         \
    ((array)->data = NULL, (array)->count = 0, (array)->capacity = 0, (array)->allocator = (alloc))

#define rbl_array_free(array)                                                                                \
    (rbl_free((array)->allocator, (array)->data, (array)->capacity * sizeof *(array)->data),                 \
     (array)->data = NULL, (array)->count = 0, (array)->capacity = 0)

// Capacity for at least `wanted` elements in total.
#define rbl_array_reserve(array, wanted)                                                                     \
    ((wanted) <= (array)->capacity ||                                                                        \
     rbl_array_grow((void**)&(array)->data, &(array)->capacity, sizeof *(array)->data, (wanted), false,      \
                    (array)->allocator))

#define rbl_array_push(array, value)                                                                         \
    (((array)->count < (array)->capacity ||                                                                  \
      rbl_array_grow((void**)&(array)->data, &(array)->capacity, sizeof *(array)->data, (array)->count + 1,  \
                     true, (array)->allocator))                                                              \
         ? ((array)->data[(array)->count++] = (value), true)                                                 \
         : false)

// Capacity for `extra` more elements; grows geometrically, so that many small additions are cheap.
#define rbl_array_reserve_more(array, extra)                                                                 \
    ((extra) <= (array)->capacity - (array)->count ||                                                        \
     ((extra) <= SIZE_MAX - (array)->count &&                                                                \
      rbl_array_grow((void**)&(array)->data, &(array)->capacity, sizeof *(array)->data,                      \
                     (array)->count + (extra), true, (array)->allocator)))

// Set the count; new elements are not initialised.
#define rbl_array_resize(array, wanted)                                                                      \
    (rbl_array_reserve((array), (wanted)) ? ((array)->count = (wanted), true) : false)

// The same, with geometric growth: for working memory whose size varies from step to step.
#define rbl_array_resize_amply(array, wanted)                                                                \
    (((wanted) <= (array)->capacity ||                                                                       \
      rbl_array_grow((void**)&(array)->data, &(array)->capacity, sizeof *(array)->data, (wanted), true,      \
                     (array)->allocator))                                                                    \
         ? ((array)->count = (wanted), true)                                                                 \
         : false)

// Set the count of working memory whose content is not kept. When it fails, the array is empty. When it must grow, the
// capacity becomes `ample` elements, or twice `wanted` if that is more: untouched memory costs little, while frequent
// growth costs the time in which the system clears new pages.
#define rbl_array_renew(array, wanted, ample)                                                                \
    (((wanted) <= (array)->capacity ||                                                                       \
      rbl_array_replace((void**)&(array)->data, &(array)->capacity, sizeof *(array)->data, (wanted),         \
                        (ample), (array)->allocator))                                                        \
         ? ((array)->count = (wanted), true)                                                                 \
         : ((array)->count = 0, false))

#define rbl_array_clear(array) ((array)->count = 0)

// Used by the macros: reallocate to `wanted` elements, or to 1.5 times the capacity when `amortised` and that is more.
bool rbl_array_grow(void** data, size_t* capacity, size_t element_size, size_t wanted, bool amortised,
                    const rblAllocator* allocator);

// Used by rbl_array_renew(): free the memory, then allocate `ample` elements, or twice as many as wanted.
bool rbl_array_replace(void** data, size_t* capacity, size_t element_size, size_t wanted, size_t ample,
                       const rblAllocator* allocator);

#endif
