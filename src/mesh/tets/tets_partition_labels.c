// Labels and weights of a whole mesh, made fit for the rule.
#include "base/error.h"
#include "base/union_find.h"
#include "math/vec.h"
#include "mesh/tets/tets_partition.h"

#include <float.h>

rblResult rbl_tets_label_components(const rblTetsView* tets, uint32_t* labels, uint32_t* parents,
                                    uint32_t* count, const rblAllocator* allocator)
{
    uint32_t* roots = RBL_NEW_ARRAY(allocator, uint32_t, (size_t)tets->node_count + 1);
    if (roots == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t n = 0; n < tets->node_count; ++n)
    {
        roots[n] = n;
    }
    for (uint32_t t = 0; t < tets->tet_count; ++t)
    {
        const uint32_t* n = tets->nodes + 4 * (size_t)t;
        for (uint32_t e = 0; e < 6; ++e)
        {
            const uint32_t a = n[rbl_tet_edges[e][0]], b = n[rbl_tet_edges[e][1]];
            if (labels[a] == labels[b])
            {
                rbl_union_join(roots, a, b);
            }
        }
    }
    // Roots are the lowest nodes, so each is numbered before any other of its component asks.
    uint32_t found = 0;
    for (uint32_t n = 0; n < tets->node_count; ++n)
    {
        if (labels[n] == RBL_NONE)
        {
            continue;
        }
        const uint32_t root = rbl_union_root(roots, n);
        if (root == n && parents != NULL)
        {
            parents[found] = labels[n];
        }
        labels[n] = root == n ? found++ : labels[root];
    }
    RBL_FREE_ARRAY(allocator, roots, (size_t)tets->node_count + 1);
    *count = found;
    return RBL_OK;
}

// ---- weights ----

// Weights that are none become the nearest to it that are.
static void mend_weights(const rblTetsView* tets, const uint32_t* labels, double* weights)
{
    double least = (double)INFINITY, most = 0.0;
    for (uint32_t n = 0; n < tets->node_count; ++n)
    {
        if (labels[n] != RBL_NONE && weights[n] > 0.0 && weights[n] <= DBL_MAX)
        {
            least = rbl_mind(least, weights[n]);
            most = rbl_maxd(most, weights[n]);
        }
    }
    least = least <= DBL_MAX ? least : 1.0;
    most = most > 0.0 ? most : 1.0;
    for (uint32_t n = 0; n < tets->node_count; ++n)
    {
        if (labels[n] != RBL_NONE)
        {
            weights[n] = weights[n] > 0.0 ? rbl_mind(weights[n], most) : least;
        }
    }
}

// Raise the weights of a tetrahedron's nodes to what its cut edges want. Whether any was.
static bool raise_weights(const uint32_t* n, const uint32_t* labels, double* weights)
{
    bool raised = false;
    for (uint32_t e = 0; e < 6; ++e)
    {
        const uint32_t a = n[rbl_tet_edges[e][0]], b = n[rbl_tet_edges[e][1]];
        if (labels[a] == labels[b] || labels[a] == RBL_NONE || labels[b] == RBL_NONE)
        {
            continue;
        }
        const double part = RBL_TETS_CUT_MARGIN / (1.0 - RBL_TETS_CUT_MARGIN);
        const double least_a = part * weights[b], least_b = part * weights[a];
        raised = raised || weights[a] < least_a || weights[b] < least_b;
        weights[a] = rbl_maxd(weights[a], least_a);
        weights[b] = rbl_maxd(weights[b], least_b);
    }
    return raised;
}

// Until nothing changes: that is the least solution, whatever the order, and three or four rounds are many, since what a weight passes
// on through each edge is 49 times smaller.
void rbl_tets_clamp_weights(const rblTetsView* tets, const uint32_t* labels, double* weights)
{
    mend_weights(tets, labels, weights);
    for (bool raised = true; raised;)
    {
        raised = false;
        for (uint32_t t = 0; t < tets->tet_count; ++t)
        {
            raised = raise_weights(tets->nodes + 4 * (size_t)t, labels, weights) || raised;
        }
    }
}
