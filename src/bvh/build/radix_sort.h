// Stable parallel radix sort of 64-bit items by some of their bits.
#ifndef RBL_BVH_BUILD_RADIX_SORT_H
#define RBL_BVH_BUILD_RADIX_SORT_H

#include "base/jobs.h"

// Sort `items` by bits shift .. shift + bits - 1, least first; equal ones keep their order. `scratch` has room for
// `count` items, `histograms` for RBL_RADIX_HISTOGRAM_SIZE(workers) counters. Returns where the sorted items are:
// `items` or `scratch`. The result does not depend on the number of workers.
uint64_t* rbl_radix_sort(rblJobs* jobs, uint64_t* items, uint64_t* scratch, uint32_t count, uint32_t shift,
                         uint32_t bits, uint32_t* histograms);

// One worker, few items: as many as fit into a near cache, or just a few. Sorts items of index_bits bits of index below
// `bits` bits of key and writes their indices; items are in rising order of their indices and are not kept.
void rbl_sort_packed(uint64_t* items, uint64_t* scratch, uint32_t count, uint32_t index_bits, uint32_t bits,
                     uint32_t* out);

// The indices of sorted items.
void rbl_take_indices(const uint64_t* items, uint32_t count, uint32_t index_bits, uint32_t* out);

#define RBL_RADIX_BITS                    11
#define RBL_RADIX_HISTOGRAM_SIZE(workers) ((size_t)(workers) << RBL_RADIX_BITS)

#endif
