// The parts of a divided tetrahedron as polyhedra. Their shape depends only on the number of nodes of each part. Each
// corner is named by a set of nodes, and every facet has three or four corners.
#include "math/vec.h"
#include "mesh/tets/tets_partition.h"

// ---- corners ----

// The nodes of a set, in the order of their numbers in the mesh. Returns their number.
static uint32_t sort_nodes(uint32_t nodes, const uint32_t order[4], uint32_t out[4])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        if ((nodes >> i & 1u) != 0)
        {
            uint32_t at = count++;
            for (; at > 0 && order[out[at - 1]] > order[i]; --at)
            {
                out[at] = out[at - 1];
            }
            out[at] = i;
        }
    }
    return count;
}

// Scale the coordinates so that all groups have the same phi; within every group their ratios are known from the
// later splits. A split that does not separate the nodes of the corner changes nothing, so other tetrahedra around
// the corner need not have it.
static void balance(const rblTetSplit* split, const uint32_t* sorted, uint32_t count, uint32_t nodes,
                    double out[4])
{
    uint32_t groups = 0;
    for (uint32_t g = 0; g < split->group_count; ++g)
    {
        groups += (split->groups[g] & nodes) != 0;
    }
    for (uint32_t g = 0; g < split->group_count && groups > 1; ++g)
    {
        double phi = 0.0;
        for (uint32_t n = 0; n < count; ++n)
        {
            phi +=
                (split->groups[g] >> sorted[n] & 1u) != 0 ? split->weights[sorted[n]] * out[sorted[n]] : 0.0;
        }
        for (uint32_t n = 0; n < count; ++n)
        {
            out[sorted[n]] /= (split->groups[g] >> sorted[n] & 1u) != 0 ? phi : 1.0;
        }
    }
}

// Barycentric coordinates of a corner. They depend only on its own nodes, not on their order: `order` contains the
// number of each node in the mesh, and sums are formed in this order, so that tetrahedra that share the corner
// compute the same bits.
static void corner_weights(const rblTetRule* rule, uint32_t nodes, const uint32_t order[4], double out[4])
{
    uint32_t sorted[4];
    const uint32_t count = sort_nodes(nodes, order, sorted);
    for (uint32_t i = 0; i < 4; ++i)
    {
        out[i] = (double)(nodes >> i & 1u);
    }
    for (uint32_t s = rule->split_count; s-- > 0;)
    {
        balance(&rule->splits[s], sorted, count, nodes, out);
    }
    double sum = 0.0;
    for (uint32_t n = 0; n < count; ++n)
    {
        sum += out[sorted[n]];
    }
    for (uint32_t n = 0; n < count; ++n)
    {
        out[sorted[n]] /= sum;
    }
}

rblVec3d rbl_tet_corner_position(const rblTetRule* rule, uint32_t nodes, const uint32_t order[4],
                                 const rblVec3d corners[4])
{
    double weights[4];
    uint32_t sorted[4];
    corner_weights(rule, nodes, order, weights);
    const uint32_t count = sort_nodes(nodes, order, sorted);
    rblVec3d sum = count > 1 ? rbl_scale3d(corners[sorted[0]], weights[sorted[0]]) : corners[sorted[0]];
    for (uint32_t n = 1; n < count; ++n)
    {
        sum = rbl_mul_add3d(sum, weights[sorted[n]], corners[sorted[n]]);
    }
    return sum;
}

// ---- facets ----

static uint32_t size_of(uint32_t nodes)
{
    return (nodes & 1u) + (nodes >> 1 & 1u) + (nodes >> 2 & 1u) + (nodes >> 3 & 1u);
}

// List the nodes, set after set. Returns whether the order is an even permutation, so that their tetrahedron is not
// inverted.
static bool arrange(uint32_t first, uint32_t second, uint32_t third, uint32_t out[4])
{
    uint32_t count = 0;
    const uint32_t sets[3] = {first, second, third};
    for (uint32_t s = 0; s < 3; ++s)
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            if ((sets[s] >> i & 1u) != 0)
            {
                out[count++] = i;
            }
        }
    }
    uint32_t inversions = 0;
    for (uint32_t a = 0; a < 4; ++a)
    {
        for (uint32_t b = a + 1; b < 4; ++b)
        {
            inversions += out[a] > out[b];
        }
    }
    return inversions % 2 == 0;
}

// The corners in the given order, or reversed.
static rblTetFacet facet_of(uint32_t corner_count, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool even)
{
    if (even)
    {
        return (rblTetFacet){{a, b, c, d}, corner_count, 0};
    }
    return corner_count == 3 ? (rblTetFacet){{a, c, b, 0}, 3, 0} : (rblTetFacet){{a, d, c, b}, 4, 0};
}

// Corner orders are given for an even permutation n0 n1 n2 n3; in the comments 01 means the corner of n0 and n1. The
// orders were derived from one tetrahedron of each kind, (0, 0, 0), x, y, z.
static rblTetFacet facet_between(const rblTetRule* rule, uint32_t from, uint32_t to)
{
    const uint32_t p = rule->members[from], q = rule->members[to], rest = 15u & ~(p | q);
    uint32_t n[4];
    if (size_of(p) == 1 && size_of(q) == 3)
    {
        const bool even = arrange(p, q, 0, n);
        const uint32_t a = 1u << n[0];
        return facet_of(3, a | 1u << n[1], a | 1u << n[2], a | 1u << n[3], 0, even); // 01 02 03
    }
    if (size_of(p) == 3)
    {
        const bool even = arrange(q, p, 0, n);
        const uint32_t a = 1u << n[0];
        return facet_of(3, a | 1u << n[1], a | 1u << n[2], a | 1u << n[3], 0, !even);
    }
    if (rest == 0)
    {
        const bool even = arrange(p, q, 0, n);
        const uint32_t a = 1u << n[0], b = 1u << n[1], c = 1u << n[2], d = 1u << n[3];
        return facet_of(4, a | c, a | d, b | d, b | c, even); // 02 03 13 12
    }
    if (size_of(rest) == 2 && rule->part_count == 3)
    {
        const bool even = arrange(rest, p, q, n);
        const uint32_t a = 1u << n[0], b = 1u << n[1], cd = 1u << n[2] | 1u << n[3];
        return facet_of(3, cd, cd | a, cd | b, 0, even); // 23 023 123
    }
    if (size_of(rest) == 2)
    {
        const bool even = arrange(p, q, rest, n);
        const uint32_t ab = 1u << n[0] | 1u << n[1];
        return facet_of(4, ab, ab | 1u << n[2], 15u, ab | 1u << n[3], even); // 01 012 0123 013
    }
    // Two nodes of one side, one of the other, one of a third part.
    const bool forwards = size_of(p) == 2;
    const bool even = arrange(forwards ? p : q, forwards ? q : p, rest, n);
    const uint32_t a = 1u << n[0], b = 1u << n[1], c = 1u << n[2], d = 1u << n[3];
    return facet_of(4, a | c | d, b | c | d, b | c, a | c, even == forwards); // 023 123 12 02
}

rblTetFacet rbl_tet_facet(const rblTetRule* rule, uint32_t from, uint32_t to)
{
    rblTetFacet facet = facet_between(rule, from, to);
    facet.other = to;
    return facet;
}
