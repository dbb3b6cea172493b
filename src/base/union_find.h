// Union-find over indices. The root of a set is its lowest index. So roots are in order of first appearance and do not
// depend on the order of the joins. At the start every index is its own parent.
#ifndef RBL_BASE_UNION_FIND_H
#define RBL_BASE_UNION_FIND_H

#include <stdint.h>

// With path halving.
static inline uint32_t rbl_union_root(uint32_t* parents, uint32_t i)
{
    while (parents[i] != i)
    {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

// Join a root with another element; returns the root of both.
static inline uint32_t rbl_union_join_root(uint32_t* parents, uint32_t root, uint32_t b)
{
    const uint32_t root_b = rbl_union_root(parents, b);
    const uint32_t lower = root < root_b ? root : root_b;
    parents[root < root_b ? root_b : root] = lower;
    return lower;
}

static inline void rbl_union_join(uint32_t* parents, uint32_t a, uint32_t b)
{
    (void)rbl_union_join_root(parents, rbl_union_root(parents, a), b);
}

#endif
