// The order of leaves: what decides the quality of an implicit tree.
#ifndef RBL_BVH_ORDER_H
#define RBL_BVH_ORDER_H

#include "bvh/bvh.h"

// A triangle on its way to a leaf: centroid on a 2^16 grid over the bounds of all centroids, and its index.
typedef struct rblLeafKey
{
    uint16_t axis[3];
    uint16_t spare;
    uint32_t triangle;
} rblLeafKey;

// Reorder `keys` top-down so that every split falls exactly where the implicit layout puts it: the left subtree is
// full. Each split takes the median of the longest axis. Stops at nodes of at most `smallest` leaves, which keep the
// order they came in. `scratch` has room for all keys.
void rbl_order_top_down(rblJobs* jobs, const rblTreeLayout* layout, rblLeafKey* keys, rblLeafKey* scratch,
                        uint32_t smallest, uint32_t* order);

#endif
