// Union-find over indices: things that hang together have one root, the lowest index among them. That way roots are first
// appearances, and do not depend on the order in which things were joined. Everything begins as its own parent.
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

// Of a root and something else; returns the root of both.
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
