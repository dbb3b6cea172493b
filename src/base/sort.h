// A stable sort: the same order on every platform, n log n for every input.
#ifndef RBL_BASE_SORT_H
#define RBL_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// True when item a must come before item b.
typedef bool rblBeforeFcn(uint32_t a, uint32_t b, const void* context);

// The order of the numbers; needs no context.
bool rbl_before_by_value(uint32_t a, uint32_t b, const void* context);

// Sort indices; equal ones keep their order. `scratch` has `count` elements.
void rbl_sort_indices(uint32_t* items, uint32_t* scratch, size_t count, rblBeforeFcn* before,
                      const void* context);

#endif
