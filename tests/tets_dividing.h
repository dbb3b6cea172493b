// How tests and benchmarks divide the tetrahedra of a mesh and measure the parts: labels made connected, weights clamped, facets,
// volumes and distances of parts. The library itself only needs the rule in mesh/tets/tets_partition.h.
#ifndef RBL_TESTS_TETS_DIVIDING_H
#define RBL_TESTS_TETS_DIVIDING_H

#include "base/error.h"
#include "base/union_find.h"
#include "math/vec.h"
#include "mesh/tets/tets_partition.h"

#include <float.h>

// Part of an edge between its end and a cut, at least.
#define CUT_MARGIN 0.02

// Facets of one part, at most: 3 to the other parts and 4 on the faces of the tetrahedron.
#define MAX_FACETS 7

// Whether nodes are all of different parts: then their set names a corner.
static inline bool tet_is_corner(const rblTetRule* rule, uint32_t nodes)
{
    bool differ = nodes != 0;
    for (uint32_t p = 0; p < rule->part_count; ++p)
    {
        const uint32_t common = nodes & rule->members[p];
        differ = differ && (common & (common - 1)) == 0;
    }
    return differ;
}

// What a part has of the face opposite to node k. Corners that are not there are left out.
static inline bool face_facet(const rblTetRule* rule, uint32_t part, uint32_t k, rblTetFacet* out)
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

// All sides of a part. Returns how many.
static inline uint32_t tet_facets(const rblTetRule* rule, uint32_t part, rblTetFacet out[MAX_FACETS])
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

typedef struct TetIntegrals
{
    double volume;
    rblVec3d first; // volume times centre
} TetIntegrals;

// Cones from a node of the part over its sides.
static inline TetIntegrals tet_part_integrals(const rblTetRule* rule, const rblVec3d corners[4],
                                              uint32_t part)
{
    static const uint32_t order[4] = {0, 1, 2, 3};
    rblTetFacet facets[MAX_FACETS];
    const uint32_t count = tet_facets(rule, part, facets);
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
    return (TetIntegrals){volume, first};
}

static inline double sum_group(const rblTetSplit* split, uint32_t group, const double b[4])
{
    double sum = 0.0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        sum += (group >> i & 1u) != 0 ? split->weights[i] * b[i] : 0.0;
    }
    return sum;
}

// Of the barycentric coordinate of node i: into the tetrahedron from the face opposite to it.
static inline void barycentric_gradients(const rblVec3d corners[4], rblVec3d out[4])
{
    const double whole = 6.0 * rbl_tet_volume(corners);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint8_t* face = rbl_tet_faces[i];
        const rblVec3d a = corners[face[0]];
        const rblVec3d outward = rbl_cross3d(rbl_sub3d(corners[face[1]], a), rbl_sub3d(corners[face[2]], a));
        out[i] = rbl_scale3d(outward, -1.0 / whole);
    }
}

// Distance from a point of a part to the nearest plane that borders it inside the tetrahedron, and the normal of that plane, out of
// the part. Negative beyond a plane; infinity where the part is the whole tetrahedron.
static inline double tet_border(const rblTetRule* rule, const rblVec3d corners[4], uint32_t part,
                                const double barycentric[4], rblVec3d* normal)
{
    rblVec3d gradients[4];
    barycentric_gradients(corners, gradients);
    double nearest = (double)INFINITY;
    *normal = rbl_vec3d(0, 0, 0);
    const uint32_t node = rbl_tet_lowest_node(rule->members[part]);
    for (uint32_t s = 0; s < rule->split_count; ++s)
    {
        const rblTetSplit* split = &rule->splits[s];
        uint32_t own = 0;
        while (own < split->group_count && (split->groups[own] >> node & 1u) == 0)
        {
            ++own;
        }
        for (uint32_t g = 0; g < split->group_count && own < split->group_count; ++g)
        {
            rblVec3d along = {0, 0, 0};
            for (uint32_t i = 0; i < 4 && g != own; ++i)
            {
                const double sign = (double)(split->groups[g] >> i & 1u) - (split->groups[own] >> i & 1u);
                along = rbl_mul_add3d(along, sign * split->weights[i], gradients[i]);
            }
            const double steep = rbl_length3d(along);
            const double distance = (sum_group(split, split->groups[own], barycentric) -
                                     sum_group(split, split->groups[g], barycentric)) /
                                    steep;
            if (g != own && distance < nearest)
            {
                nearest = distance;
                *normal = rbl_scale3d(along, 1.0 / steep);
            }
        }
    }
    return nearest;
}

// Labels become components: nodes with the same label that edges through such nodes connect. New labels count from 0 in the order of
// the lowest node of each component; nodes with RBL_NONE keep it.
static inline rblResult tets_label_components(const rblTetsView* tets, uint32_t* labels, uint32_t* count,
                                              const rblAllocator* allocator)
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
        labels[n] = root == n ? found++ : labels[root];
    }
    RBL_FREE_ARRAY(allocator, roots, (size_t)tets->node_count + 1);
    *count = found;
    return RBL_OK;
}

// Weights that are none become the nearest to it that are.
static inline void mend_weights(const rblTetsView* tets, const uint32_t* labels, double* weights)
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
static inline bool raise_weights(const uint32_t* n, const uint32_t* labels, double* weights)
{
    bool raised = false;
    for (uint32_t e = 0; e < 6; ++e)
    {
        const uint32_t a = n[rbl_tet_edges[e][0]], b = n[rbl_tet_edges[e][1]];
        if (labels[a] == labels[b] || labels[a] == RBL_NONE || labels[b] == RBL_NONE)
        {
            continue;
        }
        const double part = CUT_MARGIN / (1.0 - CUT_MARGIN);
        const double least_a = part * weights[b], least_b = part * weights[a];
        raised = raised || weights[a] < least_a || weights[b] < least_b;
        weights[a] = rbl_maxd(weights[a], least_a);
        weights[b] = rbl_maxd(weights[b], least_b);
    }
    return raised;
}

// Raise weights until every edge between different labels is cut at least CUT_MARGIN of its length away from its ends.
static inline void tets_clamp_weights(const rblTetsView* tets, const uint32_t* labels, double* weights)
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

#endif
