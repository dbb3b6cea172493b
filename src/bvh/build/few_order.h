// The last levels of the top-down order: subtrees with so few leaves that all pairs can be compared.
#ifndef RBL_BVH_BUILD_FEW_ORDER_H
#define RBL_BVH_BUILD_FEW_ORDER_H

#include "base/bits.h"

// Leaves of a subtree that is ordered by comparing all pairs: the quadratic cost in SIMD is below that of partitions.
#define RBL_FEW_LEAVES 64

// The bit fields of a key; the index is in the lowest bits.
typedef struct rblKeyFields
{
    uint32_t axis_bits; // at most 15
    uint32_t shift[3];  // of x, y, z
    uint32_t mask;      // 2^axis_bits - 1
    uint32_t index_mask;
} rblKeyFields;

// Keys of 64 bits: the finest grid that fits beside the index, 2^14 steps for a million triangles.
static inline rblKeyFields rbl_key_fields(uint32_t count)
{
    const uint32_t index_bits = rbl_ceil_log2(count);
    const uint32_t free_bits = (64 - index_bits) / 3;
    const uint32_t axis_bits = free_bits < 15 ? free_bits : 15;
    return (rblKeyFields){axis_bits,
                          {index_bits + 2 * axis_bits, index_bits + axis_bits, index_bits},
                          (1u << axis_bits) - 1,
                          (1u << index_bits) - 1};
}

// Order up to RBL_FEW_LEAVES keys as rbl_order_top_down() does and write their triangles to `order`.
void rbl_order_few(const rblKeyFields* fields, const uint64_t* keys, uint32_t count, uint32_t height,
                   uint32_t smallest, uint32_t* order);

#endif
