// Farthest-point order of points, with parents (samples.h).
#ifndef RBL_FIELD_SAMPLES_SAMPLES_ORDER_H
#define RBL_FIELD_SAMPLES_SAMPLES_ORDER_H

#include "base/memory.h"
#include "rubble/math.h"
#include "rubble/result.h"

typedef struct rblSampleOrder
{
    uint32_t* chosen;  // per entry of the order: index of the point
    uint32_t* parents; // per entry of the order: entry of its parent; 0 for the first, which has none
    uint32_t count;    // smaller than the number of points if some are equal
    uint32_t capacity;
    const rblAllocator* allocator;
} rblSampleOrder;

// There must be at least one point. Points and their squared distances must be finite.
rblResult rbl_sample_order_init(rblSampleOrder* order, const rblVec3* points, uint32_t count,
                                const rblAllocator* allocator);

// The faster method (samples.h).
rblResult rbl_sample_order_init_quick(rblSampleOrder* order, const rblVec3* points, uint32_t count,
                                      const rblAllocator* allocator);
void rbl_sample_order_free(rblSampleOrder* order);

#endif
