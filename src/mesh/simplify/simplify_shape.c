// Whether the triangles around a collapse keep their shape: not inverted, not folded, not degenerate.
#include "mesh/simplify/simplify_cost.h"

// Smallest cosine between the normals of a triangle before and after one collapse (about 78 degrees).
#define MIN_COSINE 0.2

// Smallest cosine between the normals of two neighbours (about 143 degrees), unless they were folded before.
#define FOLD_COSINE -0.8

// Smallest quality of a triangle (twice the area over the squared longest edge), unless it was thinner before.
#define MIN_QUALITY 1e-4

// 2 area / longest edge^2
static double quality(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d normal)
{
    const double ab = rbl_distance3d(a, b), bc = rbl_distance3d(b, c), ca = rbl_distance3d(c, a);
    const double longest = rbl_maxd(ab, rbl_maxd(bc, ca));
    return longest > 0.0 ? rbl_length3d(normal) / (longest * longest) : 0.0;
}

// One triangle at a vertex that moves from p to q; a and b are its other vertices.
static bool triangle_survives(rblVec3d p, rblVec3d q, rblVec3d a, rblVec3d b)
{
    const rblVec3d before = rbl_cross3d(rbl_sub3d(a, p), rbl_sub3d(b, p));
    const rblVec3d after = rbl_cross3d(rbl_sub3d(a, q), rbl_sub3d(b, q));
    const double product = rbl_length3d(before) * rbl_length3d(after);
    if (rbl_length3d(before) > 0.0 && !(rbl_dot3d(before, after) > MIN_COSINE * product))
    {
        return false;
    }
    const double after_quality = quality(q, a, b, after);
    return after_quality >= MIN_QUALITY || after_quality >= quality(p, a, b, before);
}

// The normal of a triangle before or after the collapse, not normalised.
static rblVec3d triangle_normal(const rblSimplifyCost* cost, const rblCandidate* candidate, uint32_t triangle,
                                bool after)
{
    rblVec3d p[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t v = cost->mesh->corner_vertices[3 * triangle + i];
        const bool moves = after && (v == candidate->collapse.removed || v == candidate->collapse.kept);
        p[i] = moves ? candidate->position : cost->positions[v];
    }
    return rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0]));
}

static bool is_fold(rblVec3d a, rblVec3d b)
{
    return rbl_dot3d(a, b) < FOLD_COSINE * (rbl_length3d(a) * rbl_length3d(b));
}

// Whether the collapse folds two triangles that are neighbours after it.
static bool folds(const rblSimplifyCost* cost, const rblCandidate* candidate, uint32_t corner, uint32_t other)
{
    if (corner == RBL_NONE || other == RBL_NONE)
    {
        return false;
    }
    const uint32_t t[2] = {corner / 3, other / 3};
    return is_fold(triangle_normal(cost, candidate, t[0], true),
                   triangle_normal(cost, candidate, t[1], true)) &&
           !is_fold(triangle_normal(cost, candidate, t[0], false),
                    triangle_normal(cost, candidate, t[1], false));
}

// All triangles at one end of the edge, and their neighbours. (A removed triangle has no normal afterwards and cannot
// fold; rbl_simplify_keeps_shape() checks the triangles that it joins.)
static bool fan_survives(const rblSimplifyCost* cost, const rblCandidate* candidate, uint32_t vertex)
{
    const rblCollapseMesh* mesh = cost->mesh;
    const rblCollapse* collapse = &candidate->collapse;
    const uint32_t other = vertex == collapse->kept ? collapse->removed : collapse->kept;
    const rblVec3d p = cost->positions[vertex];
    const uint32_t first = mesh->vertex_corners[vertex];
    for (uint32_t c = first; c != RBL_NONE; c = rbl_fan_next(mesh, first, c))
    {
        const uint32_t across = rbl_triangle_next(c);
        const uint32_t left = rbl_triangle_previous(c);
        const uint32_t next = mesh->corner_vertices[across];
        const uint32_t previous = mesh->corner_vertices[left];
        if (next != other && previous != other &&
            (!triangle_survives(p, candidate->position, cost->positions[next], cost->positions[previous]) ||
             folds(cost, candidate, across, mesh->twins[across]) ||
             folds(cost, candidate, left, mesh->twins[left])))
        {
            return false;
        }
    }
    return true;
}

static bool joint_folds(const rblSimplifyCost* cost, const rblCandidate* candidate, uint32_t half_edge)
{
    const uint32_t* twins = cost->mesh->twins;
    return half_edge != RBL_NONE && folds(cost, candidate, twins[rbl_triangle_next(half_edge)],
                                          twins[rbl_triangle_previous(half_edge)]);
}

bool rbl_simplify_keeps_shape(const rblSimplifyCost* cost, const rblCandidate* candidate)
{
    const rblCollapse* collapse = &candidate->collapse;
    const bool kept_moves = !rbl_equal3d(candidate->position, cost->positions[collapse->kept]);
    return fan_survives(cost, candidate, collapse->removed) &&
           (!kept_moves || fan_survives(cost, candidate, collapse->kept)) &&
           !joint_folds(cost, candidate, collapse->forward) &&
           !joint_folds(cost, candidate, collapse->backward);
}
