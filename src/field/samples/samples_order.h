// Farthest-point order of points, and the parents it implies (samples.h).
#ifndef RBL_FIELD_SAMPLES_SAMPLES_ORDER_H
#define RBL_FIELD_SAMPLES_SAMPLES_ORDER_H

#include "base/memory.h"
#include "rubble/math.h"
#include "rubble/result.h"

typedef struct rblSampleOrder
{
    uint32_t* chosen;  // place in the order -> index of the point
    uint32_t* parents; // place -> place of the parent; the first has none and says 0
    uint32_t count;    // fewer than the points when some are equal
    uint32_t capacity;
    const rblAllocator* allocator;
} rblSampleOrder;

// Points are finite, their squared distances too; at least one.
rblResult rbl_sample_order_init(rblSampleOrder* order, const rblVec3* points, uint32_t count,
                                const rblAllocator* allocator);

// The quick one (samples.h).
rblResult rbl_sample_order_init_quick(rblSampleOrder* order, const rblVec3* points, uint32_t count,
                                      const rblAllocator* allocator);
void rbl_sample_order_free(rblSampleOrder* order);

#endif
