// Stable parallel radix sort of 64-bit items by some of their bits.
#ifndef RBL_BVH_BUILD_RADIX_SORT_H
#define RBL_BVH_BUILD_RADIX_SORT_H

#include "base/jobs.h"

// Sort `items` by bits shift .. shift + bits - 1, smallest first; equal items keep their order. `scratch` has `count`
// items, `histograms` has RBL_RADIX_HISTOGRAM_SIZE(workers) counters. Returns the array with the sorted items: `items`
// or `scratch`. The result does not depend on the number of workers.
uint64_t* rbl_radix_sort(rblJobs* jobs, uint64_t* items, uint64_t* scratch, uint32_t count, uint32_t shift,
                         uint32_t bits, uint32_t* histograms);

// For one worker and few items, at most as many as fit into the L1 or L2 cache. Sort items with index_bits bits of index
// below `bits` bits of key and write their indices. The items must be in increasing order of their indices; the call
// overwrites them.
void rbl_sort_packed(uint64_t* items, uint64_t* scratch, uint32_t count, uint32_t index_bits, uint32_t bits,
                     uint32_t* out);

// The indices of sorted items.
void rbl_take_indices(const uint64_t* items, uint32_t count, uint32_t index_bits, uint32_t* out);

// Bits of a digit: 2^11 counters fit into the L1 cache.
#define RBL_RADIX_BITS                    11
#define RBL_RADIX_HISTOGRAM_SIZE(workers) ((size_t)(workers) << RBL_RADIX_BITS)

#endif
