// The pairs of the broad phase, and checks of its structure.
#include "dynamics/broad_phase/broad_phase_private.h"

uint32_t rbl_broad_phase_pair_count(const rblBroadPhase* broad)
{
    return (uint32_t)rbl_pair_set_count(&broad->pairs);
}

const rblProxyPair* rbl_broad_phase_pairs(rblBroadPhase* broad)
{
    return rbl_pair_set_unpark(&broad->pairs) ? broad->pairs.pairs : NULL;
}

bool rbl_broad_phase_has_valid_pairs(const rblBroadPhase* broad)
{
    return rbl_pair_set_is_valid(&broad->pairs);
}

uint32_t rbl_broad_phase_find_fault(const rblBroadPhase* broad)
{
    for (uint32_t proxy = 0; proxy < broad->capacity; ++proxy)
    {
        const uint8_t flags = broad->flags[proxy];
        if (!rbl_proxy_exists(broad, proxy))
        {
            continue;
        }
        const rblProxyTree* tree = &broad->trees[(flags & RBL_PROXY_MOVING) != 0];
        const uint32_t index = broad->leaf_of[proxy];
        const bool unbounded = (flags & RBL_PROXY_UNBOUNDED) != 0;
        const bool found = unbounded ? index < broad->unbounded.count && broad->unbounded.data[index] == proxy
                                     : index < tree->count && tree->proxies[index] == proxy;
        const bool marked = !unbounded && found && (tree->marks[index / 4] >> index % 4 & 1) != 0;
        const bool finite = rbl_finite3(broad->boxes[proxy].lower) && rbl_finite3(broad->boxes[proxy].upper);
        if (!found || (!unbounded && (!finite || marked != ((flags & RBL_PROXY_MARKED) != 0))))
        {
            return proxy;
        }
    }
    for (uint32_t t = 0; t < 2; ++t)
    {
        const uint32_t group = rbl_proxy_tree_find_fault(&broad->trees[t], broad->boxes, broad->leaf_of);
        if (group != UINT32_MAX)
        {
            return broad->trees[t].proxies[4 * group];
        }
    }
    return UINT32_MAX;
}

bool rbl_broad_phase_has(const rblBroadPhase* broad, uint32_t proxy)
{
    return rbl_proxy_exists(broad, proxy);
}
