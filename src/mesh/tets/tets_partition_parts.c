// Parts of a divided tetrahedron as polyhedra. What they look like depends on the number of nodes of each part alone: corners have
// names, and every facet has three or four of them.
#include "math/vec.h"
#include "mesh/tets/tets_partition.h"

// ---- corners ----

bool rbl_tet_is_corner(const rblTetRule* rule, uint32_t nodes)
{
    bool differ = nodes != 0;
    for (uint32_t p = 0; p < rule->part_count; ++p)
    {
        const uint32_t common = nodes & rule->members[p];
        differ = differ && (common & (common - 1)) == 0;
    }
    return differ;
}

// The nodes of a set, in the order of their numbers in the mesh. Returns how many.
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

// Within every group the directions are known from the splits after; scaled so that all groups have the same phi. Splits that leave
// the corner's nodes together change nothing, and other tetrahedra around the corner need not have them.
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

void rbl_tet_corner_weights(const rblTetRule* rule, uint32_t nodes, const uint32_t order[4], double out[4])
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
    rbl_tet_corner_weights(rule, nodes, order, weights);
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

// Nodes set after set. Whether that is an even permutation: their tetrahedron is not turned over.
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

// Corners as given, or the other way around.
static rblTetFacet facet_of(uint32_t corner_count, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool even)
{
    if (even)
    {
        return (rblTetFacet){{a, b, c, d}, corner_count, 0};
    }
    return corner_count == 3 ? (rblTetFacet){{a, c, b, 0}, 3, 0} : (rblTetFacet){{a, d, c, b}, 4, 0};
}

// Orders are those for an even permutation n0 n1 n2 n3; in the comments 01 stands for the corner of n0 and n1. They follow from one
// tetrahedron of each kind, (0, 0, 0), x, y, z.
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

// What a part has of the face opposite to node k. Corners that are not there are left out.
static bool face_facet(const rblTetRule* rule, uint32_t part, uint32_t k, rblTetFacet* out)
{
    *out = (rblTetFacet){.other = 4 + k};
    uint32_t first = 3;
    for (uint32_t n = 0; n < 3; ++n)
    {
        const uint32_t before = rbl_tet_faces[k][(n + 2) % 3];
        if (rule->parts[rbl_tet_faces[k][n]] == part && (first == 3 || rule->parts[before] != part))
        {
            first = n;
        }
    }
    if (first == 3)
    {
        return false;
    }
    const uint32_t a = rbl_tet_faces[k][first], b = rbl_tet_faces[k][(first + 1) % 3],
                   c = rbl_tet_faces[k][(first + 2) % 3];
    const uint32_t sa = 1u << a, sb = 1u << b, sc = 1u << c;
    const bool with_b = rule->parts[b] == part, with_c = rule->parts[c] == part;
    uint32_t* corners = out->corners;
    corners[out->corner_count++] = sa;
    if (with_b)
    {
        corners[out->corner_count++] = sb;
        corners[out->corner_count++] = with_c ? sc : sb | sc;
        if (!with_c)
        {
            corners[out->corner_count++] = sa | sc;
        }
        return true;
    }
    corners[out->corner_count++] = sa | sb;
    if (rule->parts[b] != rule->parts[c])
    {
        corners[out->corner_count++] = sa | sb | sc;
    }
    corners[out->corner_count++] = sa | sc;
    return true;
}

uint32_t rbl_tet_facets(const rblTetRule* rule, uint32_t part, rblTetFacet out[RBL_TET_MAX_FACETS])
{
    uint32_t count = 0;
    for (uint32_t other = 0; other < rule->part_count; ++other)
    {
        if (other != part)
        {
            out[count++] = rbl_tet_facet(rule, part, other);
        }
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        count += face_facet(rule, part, k, &out[count]) ? 1 : 0;
    }
    return count;
}

// ---- integrals ----

// Cones from a node of the part over its sides.
rblTetIntegrals rbl_tet_part_integrals(const rblTetRule* rule, const rblVec3d corners[4], uint32_t part)
{
    static const uint32_t order[4] = {0, 1, 2, 3};
    rblTetFacet facets[RBL_TET_MAX_FACETS];
    const uint32_t count = rbl_tet_facets(rule, part, facets);
    const rblVec3d apex = corners[rbl_tet_lowest_node(rule->members[part])];
    double volume = 0.0;
    rblVec3d first = {0, 0, 0};
    for (uint32_t f = 0; f < count; ++f)
    {
        const rblVec3d a = rbl_tet_corner_position(rule, facets[f].corners[0], order, corners);
        for (uint32_t c = 1; c + 1 < facets[f].corner_count; ++c)
        {
            const rblVec3d b = rbl_tet_corner_position(rule, facets[f].corners[c], order, corners);
            const rblVec3d d = rbl_tet_corner_position(rule, facets[f].corners[c + 1], order, corners);
            const double v = rbl_tet_volume((const rblVec3d[4]){apex, a, b, d});
            volume += v;
            first = rbl_mul_add3d(first, 0.25 * v, rbl_add3d(rbl_add3d(apex, a), rbl_add3d(b, d)));
        }
    }
    return (rblTetIntegrals){volume, first};
}
