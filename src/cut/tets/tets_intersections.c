// Intersections of triangles of the surface with facets of cracks.
//
// For a triangle p and one half m of a facet, also a triangle, the signs of determinants decide everything: of the
// corners of each against the plane of the other, and of sides against sides. Two triangles that intersect have a
// common segment with two ends: each end is where a side of p passes through m, or a side of m through p. Seen from the
// facet's second cell, the inside of the solid is on the left of the directed segment; the same signs give its first
// end.
#include "cut/tets/tets_cut_private.h"
#include "math/predicates.h"

typedef struct IntersectionEnd
{
    bool of_triangle; // whether the end is on a side of the triangle; else on a side of the facet
    uint32_t side;    // from corner `side` to the next
    uint32_t half;    // half of the facet
    bool begins;      // whether the segment starts at this end
} IntersectionEnd;

typedef struct Intersection
{
    IntersectionEnd ends[4];
    uint32_t count;
    bool tie;
} Intersection;

// Determinants of a pair of triangles p and m.
typedef struct PairSigns
{
    const rblVec3d *p, *m;
    double near;        // m; distances up to this are ties
    double far;         // a determinant above this belongs to a distance above `near`
    double above[3];    // corners of p against m: > 0 on the side of the first cell
    double inside[3];   // corners of m against p: > 0 inside
    double sides[3][3]; // side i of p against side j of m
    bool known[3][3];
} PairSigns;

static int sign_of(double x)
{
    return x > 0.0 ? 1 : (x < 0.0 ? -1 : 0);
}

// Whether all three have the same sign; *tie becomes true if one is zero.
static bool have_same_sign(const double at[3], bool* tie)
{
    const int a = sign_of(at[0]), b = sign_of(at[1]), c = sign_of(at[2]);
    *tie = *tie || a == 0 || b == 0 || c == 0;
    return a == b && b == c;
}

static rblVec3d side_of(const rblVec3d p[3], uint32_t k)
{
    return rbl_sub3d(p[(k + 1) % 3], p[k]);
}

// The determinant, or 0 if it is so small relative to |a x b| that the distance is within `near`.
static double zero_if_near(const PairSigns* s, double determinant, rblVec3d a, rblVec3d b)
{
    if (!(s->near > 0.0) || fabs(determinant) > s->far)
    {
        return determinant;
    }
    return fabs(determinant) <= s->near * rbl_length3d(rbl_cross3d(a, b)) ? 0.0 : determinant;
}

static double side_sign(PairSigns* s, uint32_t i, uint32_t j)
{
    if (!s->known[i][j])
    {
        s->known[i][j] = true;
        const double sign = rbl_orient3d(s->p[i], s->p[(i + 1) % 3], s->m[j], s->m[(j + 1) % 3]);
        s->sides[i][j] = zero_if_near(s, sign, side_of(s->p, i), side_of(s->m, j));
    }
    return s->sides[i][j];
}

// Whether side k of p passes through m, or side k of m through p.
static bool passes_through(PairSigns* s, bool of_triangle, uint32_t k, bool* tie)
{
    double against[3];
    for (uint32_t n = 0; n < 3; ++n)
    {
        against[n] = of_triangle ? side_sign(s, k, n) : side_sign(s, n, k);
    }
    return have_same_sign(against, tie);
}

static void add_ends(PairSigns* s, bool of_triangle, uint32_t half, Intersection* out)
{
    const double* at = of_triangle ? s->above : s->inside;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const double current = at[k], next = at[(k + 1) % 3];
        if ((current > 0.0) == (next > 0.0) || !passes_through(s, of_triangle, k, &out->tie))
        {
            continue;
        }
        if (out->count == 4)
        {
            out->tie = true;
            return;
        }
        IntersectionEnd* end = &out->ends[out->count++];
        *end = (IntersectionEnd){of_triangle, k, half, of_triangle ? current < 0.0 : current > 0.0};
    }
}

static void meet_half(const rblTetsCut* work, const rblVec3d p[3], const rblVec3d m[3], uint32_t half,
                      Intersection* out)
{
    PairSigns s;
    s.p = p;
    s.m = m;
    s.near = work->near;
    s.far = work->near * work->span;
    memset(s.known, 0, sizeof s.known);
    for (uint32_t k = 0; k < 3; ++k)
    {
        s.above[k] = zero_if_near(&s, rbl_orient3d(m[0], m[1], m[2], p[k]), side_of(m, 0), side_of(m, 1));
    }
    if (have_same_sign(s.above, &out->tie))
    {
        return;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        s.inside[k] = zero_if_near(&s, rbl_orient3d(p[0], p[1], p[2], m[k]), side_of(p, 0), side_of(p, 1));
    }
    if (have_same_sign(s.inside, &out->tie))
    {
        return;
    }
    const uint32_t before = out->count;
    add_ends(&s, true, half, out);
    add_ends(&s, false, half, out);
    out->tie = out->tie || (out->count != before && out->count != before + 2);
}

// ---- facets ----

// The side of the facet that an end is on; 4: the diagonal.
static uint32_t facet_side(const IntersectionEnd* end, uint32_t corner_count)
{
    if (corner_count == 3)
    {
        return end->side;
    }
    const uint32_t sides[2][3] = {{0, 1, 4}, {4, 2, 3}};
    return sides[end->half][end->side];
}

// Ends on the diagonal occur in pairs and are removed. The two ends of one segment must be left; anything else comes
// from rounding.
static bool drop_diagonal(Intersection* intersection, uint32_t corner_count)
{
    uint32_t kept = 0, dropped = 0, begins = 0;
    for (uint32_t n = 0; n < intersection->count; ++n)
    {
        IntersectionEnd end = intersection->ends[n];
        if (!end.of_triangle)
        {
            end.side = facet_side(&end, corner_count);
        }
        if (!end.of_triangle && end.side == 4)
        {
            dropped += 1;
            continue;
        }
        begins += end.begins ? 1 : 0;
        intersection->ends[kept++] = end;
    }
    intersection->count = kept;
    const IntersectionEnd* ends = intersection->ends;
    return kept == 2 && dropped % 2 == 0 && begins == 1 &&
           (ends[0].of_triangle != ends[1].of_triangle || ends[0].side != ends[1].side);
}

// ---- nodes ----

// Parameter from a to b of the intersection with the plane through m. If both are nearly parallel the determinants have
// few valid digits; the result is limited, so that drawn faces do not intersect.
static double plane_parameter(rblVec3d a, rblVec3d b, const rblVec3d m[3])
{
    const double from_a = fabs(rbl_orient3d_precise(m[0], m[1], m[2], a));
    const double from_b = fabs(rbl_orient3d_precise(m[0], m[1], m[2], b));
    return from_a / (from_a + from_b);
}

// Barycentric weights of the intersection of the line through a and b with a triangle: the weight of a corner is the
// determinant of the side opposite to it.
static void compute_weights(const rblVec3d p[3], rblVec3d a, rblVec3d b, double out[3])
{
    double sum = 0.0;
    for (uint32_t n = 0; n < 3; ++n)
    {
        out[n] = fabs(rbl_orient3d_precise(p[(n + 1) % 3], p[(n + 2) % 3], a, b));
        sum += out[n];
    }
    for (uint32_t n = 0; n < 3; ++n)
    {
        out[n] /= sum;
    }
}

static bool push_node(rblCut* cut, const uint32_t cells[4], rblVec3d position, rblPieceVertex origin,
                      uint32_t* node)
{
    *node = (uint32_t)cut->nodes.count;
    const rblCutNode fresh = {{cells[0], cells[1], cells[2], cells[3]}};
    return rbl_array_push(&cut->nodes, fresh) && rbl_array_push(&cut->positions, position) &&
           rbl_array_push(&cut->origins, origin);
}

// The node where a side of a triangle passes through a facet. Returns RBL_NONE without memory.
static uint32_t side_node(rblTetsCut* work, uint32_t triangle, uint32_t facet, const IntersectionEnd* end)
{
    rblCut* cut = work->cut;
    const uint32_t* v = cut->triangle_vertices + 3 * (size_t)triangle;
    const uint32_t a = v[end->side], b = v[(end->side + 1) % 3];
    uint32_t* side = &work->side_numbers[work->surface->side_indices.data[3 * (size_t)triangle + end->side]];
    if (*side == RBL_NONE)
    {
        *side = (uint32_t)work->side_heads.count;
        if (!rbl_array_push(&work->side_heads, RBL_NONE))
        {
            return RBL_NONE;
        }
    }
    uint32_t* first = &work->side_heads.data[*side];
    for (uint32_t n = *first; n != RBL_NONE; n = work->side_intersections.data[n].next)
    {
        if (work->side_intersections.data[n].facet == facet)
        {
            return work->side_intersections.data[n].node;
        }
    }
    rblSideIntersection intersection = {.side = *side, .facet = facet, .half = end->half, .next = *first};
    *first = (uint32_t)work->side_intersections.count;
    const bool forwards = a < b;
    const uint32_t low = forwards ? a : b, high = forwards ? b : a;
    const rblVec3d from = cut->surface->positions[low], to = cut->surface->positions[high];
    rblVec3d m[3];
    rbl_crack_half(work, facet, end->half, m);
    const double parameter = plane_parameter(from, to, m);
    const rblPieceVertex origin = {RBL_NONE, {low, high}, {parameter, 0, 0}};
    const uint32_t* pair = work->facets.data[facet].cells;
    const uint32_t cells[4] = {pair[0], pair[1], RBL_NONE, RBL_NONE};
    const rblVec3d at = rbl_lerp3d(from, to, parameter);
    intersection.rises = !end->begins == forwards;
    return push_node(cut, cells, at, origin, &intersection.node) &&
                   rbl_array_push(&work->side_intersections, intersection)
               ? intersection.node
               : RBL_NONE;
}

// The node where a crack edge passes through a triangle.
static uint32_t edge_node(rblTetsCut* work, uint32_t triangle, uint32_t facet, const IntersectionEnd* end)
{
    rblCut* cut = work->cut;
    const rblCrackFacet* f = &work->facets.data[facet];
    rblCrackEdge* edge = &work->edges.data[f->edges[end->side]];
    for (uint32_t n = edge->first_intersection; n != RBL_NONE; n = work->edge_intersections.data[n].next)
    {
        if (work->edge_intersections.data[n].triangle == triangle)
        {
            return work->edge_intersections.data[n].node;
        }
    }
    rblEdgeIntersection intersection = {
        .edge = f->edges[end->side], .triangle = triangle, .next = edge->first_intersection};
    edge->first_intersection = (uint32_t)work->edge_intersections.count;
    const bool forwards = edge->ends[0] == f->corners[end->side];
    const rblVec3d from = work->corners.data[edge->ends[0]].position;
    const rblVec3d to = work->corners.data[edge->ends[1]].position;
    rblPieceVertex origin = {triangle, {RBL_NONE, RBL_NONE}, {0, 0, 0}};
    rblVec3d p[3];
    rbl_tets_cut_triangle(work, triangle, p);
    compute_weights(p, from, to, origin.weights);
    const rblVec3d at = rbl_lerp3d(from, to, plane_parameter(from, to, p));
    intersection.enters = !end->begins == forwards;
    return push_node(cut, edge->cells, at, origin, &intersection.node) &&
                   rbl_array_push(&work->edge_intersections, intersection)
               ? intersection.node
               : RBL_NONE;
}

// ---- stage ----

static rblCutStatus link_pair(rblTetsCut* work, uint32_t triangle, uint32_t facet,
                              const Intersection* intersection)
{
    rblCut* cut = work->cut;
    uint32_t nodes[2]; // of the end of the segment, of its start
    for (uint32_t n = 0; n < 2; ++n)
    {
        const IntersectionEnd* end = &intersection->ends[n];
        const uint32_t node =
            end->of_triangle ? side_node(work, triangle, facet, end) : edge_node(work, triangle, facet, end);
        if (node == RBL_NONE)
        {
            return RBL_CUT_MEMORY;
        }
        nodes[end->begins ? 1 : 0] = node;
    }
    const rblCutLink link = {facet, cut->vertex_count + nodes[1], cut->vertex_count + nodes[0]};
    return rbl_array_push(&cut->links, link) && rbl_array_push(&work->link_triangles, triangle)
               ? RBL_CUT_OK
               : RBL_CUT_MEMORY;
}

// A triangle of the surface, prepared for all facets of a tetrahedron.
typedef struct IntersectionTriangle
{
    uint32_t number;
    rblVec3d p[3];
    rblVec3d low, high;
} IntersectionTriangle;

static IntersectionTriangle load_triangle(const rblTetsCut* work, uint32_t number)
{
    IntersectionTriangle t = {.number = number};
    rbl_tets_cut_triangle(work, number, t.p);
    t.low = rbl_min3d(rbl_min3d(t.p[0], t.p[1]), t.p[2]);
    t.high = rbl_max3d(rbl_max3d(t.p[0], t.p[1]), t.p[2]);
    return t;
}

// Whether the boxes, or the plane of the facet with a margin for rounding, separate the two. This decides most pairs.
static bool is_separated(const rblTetsCut* work, const IntersectionTriangle* t, uint32_t facet)
{
    const rblCrackFacet* f = &work->facets.data[facet];
    const rblAabbd* box = &f->bounds;
    if (t->low.x > box->upper.x || t->low.y > box->upper.y || t->low.z > box->upper.z ||
        t->high.x < box->lower.x || t->high.y < box->lower.y || t->high.z < box->lower.z)
    {
        return true;
    }
    const rblVec3d normal = work->cut->facet_normals[facet];
    const rblVec3d at = work->corners.data[f->corners[0]].position;
    const double a = rbl_dot3d(normal, rbl_sub3d(t->p[0], at));
    const double b = rbl_dot3d(normal, rbl_sub3d(t->p[1], at));
    const double c = rbl_dot3d(normal, rbl_sub3d(t->p[2], at));
    return (a > work->slack && b > work->slack && c > work->slack) ||
           (a < -work->slack && b < -work->slack && c < -work->slack);
}

static rblCutStatus meet_pair(rblTetsCut* work, const IntersectionTriangle* triangle, uint32_t facet)
{
    if (is_separated(work, triangle, facet))
    {
        return RBL_CUT_OK;
    }
    const uint32_t corner_count = work->facets.data[facet].corner_count;
    Intersection intersection = {.count = 0};
    for (uint32_t half = 0; half + 2 < corner_count; ++half)
    {
        rblVec3d m[3];
        rbl_crack_half(work, facet, half, m);
        meet_half(work, triangle->p, m, half, &intersection);
    }
    if (intersection.tie)
    {
        return RBL_CUT_TIE;
    }
    if (intersection.count == 0)
    {
        return RBL_CUT_OK;
    }
    return drop_diagonal(&intersection, corner_count)
               ? link_pair(work, triangle->number, facet, &intersection)
               : RBL_CUT_TIE;
}

rblCutStatus rbl_tets_cut_intersections(rblTetsCut* work)
{
    const rblTetsSurface* surface = work->surface;
    rblCutStatus status = RBL_CUT_OK;
    for (uint32_t first = 0, next; first < work->facets.count && status == RBL_CUT_OK; first = next)
    {
        const uint32_t tet = work->facets.data[first].tet;
        for (next = first + 1; next < work->facets.count && work->facets.data[next].tet == tet;)
        {
            ++next;
        }
        const uint32_t end = surface->starts.data[tet + 1];
        for (uint32_t n = surface->starts.data[tet]; n < end && status == RBL_CUT_OK; ++n)
        {
            const IntersectionTriangle triangle = load_triangle(work, surface->triangles.data[n]);
            for (uint32_t f = first; f < next && status == RBL_CUT_OK; ++f)
            {
                status = meet_pair(work, &triangle, f);
            }
        }
    }
    return status;
}
