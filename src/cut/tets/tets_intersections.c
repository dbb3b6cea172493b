// Where triangles of the surface meet facets of cracks.
//
// Of a triangle p and a half m of a facet, both triangles, everything follows from signs of determinants: of the corners of each
// against the plane of the other, and of sides against sides. Two that meet do so along a segment, with two ends: where a side of p
// passes through m, or one of m through p. Seen from the facet's second cell the segment runs with the inside of the solid on its left;
// which end it begins with follows from the same signs.
#include "cut/tets/tets_cut_private.h"
#include "math/predicates.h"

typedef struct MeetingEnd
{
    bool of_triangle; // a side of the triangle; else one of the facet
    uint32_t side;    // of either: from corner `side` to the next
    uint32_t half;    // of the facet
    bool begins;      // the segment does here
} MeetingEnd;

typedef struct Meeting
{
    MeetingEnd ends[4];
    uint32_t count;
    bool tie;
} Meeting;

// Determinants of a pair of triangles.
typedef struct PairSigns
{
    const rblVec3d *p, *m;
    double near;        // m: what is as near as this counts as a tie
    double far;         // no determinant above it is of anything so near
    double above[3];    // of p's corners against m: > 0 on the side of the first cell
    double inside[3];   // of m's corners against p: > 0 inside
    double sides[3][3]; // of side i of p against side j of m
    bool known[3][3];
} PairSigns;

static int sign_of(double x)
{
    return x > 0.0 ? 1 : (x < 0.0 ? -1 : 0);
}

// Whether all three have one sign; *tie when one has none.
static bool all_alike(const double at[3], bool* tie)
{
    const int a = sign_of(at[0]), b = sign_of(at[1]), c = sign_of(at[2]);
    *tie = *tie || a == 0 || b == 0 || c == 0;
    return a == b && b == c;
}

static rblVec3d side_of(const rblVec3d p[3], uint32_t k)
{
    return rbl_sub3d(p[(k + 1) % 3], p[k]);
}

// A determinant, or 0 where it is so many times smaller than a x b that what it measures is nearly zero.
static double unless_near(const PairSigns* s, double determinant, rblVec3d a, rblVec3d b)
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
        s->sides[i][j] = unless_near(s, sign, side_of(s->p, i), side_of(s->m, j));
    }
    return s->sides[i][j];
}

// Side k of p against m, or of m against p.
static bool passes_through(PairSigns* s, bool of_triangle, uint32_t k, bool* tie)
{
    double against[3];
    for (uint32_t n = 0; n < 3; ++n)
    {
        against[n] = of_triangle ? side_sign(s, k, n) : side_sign(s, n, k);
    }
    return all_alike(against, tie);
}

static void add_ends(PairSigns* s, bool of_triangle, uint32_t half, Meeting* out)
{
    const double* at = of_triangle ? s->above : s->inside;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const double here = at[k], next = at[(k + 1) % 3];
        if ((here > 0.0) == (next > 0.0) || !passes_through(s, of_triangle, k, &out->tie))
        {
            continue;
        }
        if (out->count == 4)
        {
            out->tie = true;
            return;
        }
        MeetingEnd* end = &out->ends[out->count++];
        *end = (MeetingEnd){of_triangle, k, half, of_triangle ? here < 0.0 : here > 0.0};
    }
}

static void meet_half(const rblTetsCut* work, const rblVec3d p[3], const rblVec3d m[3], uint32_t half,
                      Meeting* out)
{
    PairSigns s;
    s.p = p;
    s.m = m;
    s.near = work->near;
    s.far = work->near * work->span;
    memset(s.known, 0, sizeof s.known);
    for (uint32_t k = 0; k < 3; ++k)
    {
        s.above[k] = unless_near(&s, rbl_orient3d(m[0], m[1], m[2], p[k]), side_of(m, 0), side_of(m, 1));
    }
    if (all_alike(s.above, &out->tie))
    {
        return;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        s.inside[k] = unless_near(&s, rbl_orient3d(p[0], p[1], p[2], m[k]), side_of(p, 0), side_of(p, 1));
    }
    if (all_alike(s.inside, &out->tie))
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
static uint32_t facet_side(const MeetingEnd* end, uint32_t corner_count)
{
    if (corner_count == 3)
    {
        return end->side;
    }
    const uint32_t sides[2][3] = {{0, 1, 4}, {4, 2, 3}};
    return sides[end->half][end->side];
}

// Ends on the diagonal go in pairs; what is left are the two ends of one segment, or something that only rounding makes.
static bool drop_diagonal(Meeting* meeting, uint32_t corner_count)
{
    uint32_t kept = 0, dropped = 0, begins = 0;
    for (uint32_t n = 0; n < meeting->count; ++n)
    {
        MeetingEnd end = meeting->ends[n];
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
        meeting->ends[kept++] = end;
    }
    meeting->count = kept;
    const MeetingEnd* ends = meeting->ends;
    return kept == 2 && dropped % 2 == 0 && begins == 1 &&
           (ends[0].of_triangle != ends[1].of_triangle || ends[0].side != ends[1].side);
}

// ---- nodes ----

// How far along the way from a to b the plane through m is. Where both are nearly parallel determinants have few digits left, but
// what is drawn must not cross itself for that.
static double way_to_plane(rblVec3d a, rblVec3d b, const rblVec3d m[3])
{
    const double from_a = fabs(rbl_orient3d_precise(m[0], m[1], m[2], a));
    const double from_b = fabs(rbl_orient3d_precise(m[0], m[1], m[2], b));
    return from_a / (from_a + from_b);
}

// Weights of a triangle's corners where the line through a and b meets it: a corner's is the determinant of the side opposite to it.
static void weigh_corners(const rblVec3d p[3], rblVec3d a, rblVec3d b, double out[3])
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

// A side of a triangle through a facet. RBL_NONE when out of memory.
static uint32_t side_node(rblTetsCut* work, uint32_t triangle, uint32_t facet, const MeetingEnd* end)
{
    rblCut* cut = work->cut;
    const uint32_t* v = cut->triangle_vertices + 3 * (size_t)triangle;
    const uint32_t a = v[end->side], b = v[(end->side + 1) % 3];
    uint32_t* side = &work->side_numbers[work->surface->side_names.data[3 * (size_t)triangle + end->side]];
    if (*side == RBL_NONE)
    {
        *side = (uint32_t)work->side_heads.count;
        if (!rbl_array_push(&work->side_heads, RBL_NONE))
        {
            return RBL_NONE;
        }
    }
    uint32_t* first = &work->side_heads.data[*side];
    for (uint32_t n = *first; n != RBL_NONE; n = work->side_meetings.data[n].next)
    {
        if (work->side_meetings.data[n].facet == facet)
        {
            return work->side_meetings.data[n].node;
        }
    }
    rblSideMeeting meeting = {.side = *side, .facet = facet, .half = end->half, .next = *first};
    *first = (uint32_t)work->side_meetings.count;
    const bool forwards = a < b;
    const uint32_t low = forwards ? a : b, high = forwards ? b : a;
    const rblVec3d from = cut->surface->positions[low], to = cut->surface->positions[high];
    rblVec3d m[3];
    rbl_crack_half(work, facet, end->half, m);
    const double way = way_to_plane(from, to, m);
    const rblPieceVertex origin = {RBL_NONE, {low, high}, {way, 0, 0}};
    const uint32_t* pair = work->facets.data[facet].cells;
    const uint32_t cells[4] = {pair[0], pair[1], RBL_NONE, RBL_NONE};
    const rblVec3d at = rbl_lerp3d(from, to, way);
    meeting.rises = !end->begins == forwards;
    return push_node(cut, cells, at, origin, &meeting.node) && rbl_array_push(&work->side_meetings, meeting)
               ? meeting.node
               : RBL_NONE;
}

// A crack edge through a triangle.
static uint32_t edge_node(rblTetsCut* work, uint32_t triangle, uint32_t facet, const MeetingEnd* end)
{
    rblCut* cut = work->cut;
    const rblCrackFacet* f = &work->facets.data[facet];
    rblCrackEdge* edge = &work->edges.data[f->edges[end->side]];
    for (uint32_t n = edge->first_meeting; n != RBL_NONE; n = work->edge_meetings.data[n].next)
    {
        if (work->edge_meetings.data[n].triangle == triangle)
        {
            return work->edge_meetings.data[n].node;
        }
    }
    rblEdgeMeeting meeting = {.edge = f->edges[end->side], .triangle = triangle, .next = edge->first_meeting};
    edge->first_meeting = (uint32_t)work->edge_meetings.count;
    const bool forwards = edge->ends[0] == f->corners[end->side];
    const rblVec3d from = work->corners.data[edge->ends[0]].position;
    const rblVec3d to = work->corners.data[edge->ends[1]].position;
    rblPieceVertex origin = {triangle, {RBL_NONE, RBL_NONE}, {0, 0, 0}};
    rblVec3d p[3];
    rbl_tets_cut_triangle(work, triangle, p);
    weigh_corners(p, from, to, origin.weights);
    const rblVec3d at = rbl_lerp3d(from, to, way_to_plane(from, to, p));
    meeting.enters = !end->begins == forwards;
    return push_node(cut, edge->cells, at, origin, &meeting.node) &&
                   rbl_array_push(&work->edge_meetings, meeting)
               ? meeting.node
               : RBL_NONE;
}

// ---- the stage ----

static rblCutTrouble link_pair(rblTetsCut* work, uint32_t triangle, uint32_t facet, const Meeting* meeting)
{
    rblCut* cut = work->cut;
    uint32_t nodes[2]; // where the segment ends, where it begins
    for (uint32_t n = 0; n < 2; ++n)
    {
        const MeetingEnd* end = &meeting->ends[n];
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
               ? RBL_CUT_FINE
               : RBL_CUT_MEMORY;
}

// A triangle of the surface, for all facets of a tetrahedron.
typedef struct MeetingTriangle
{
    uint32_t number;
    rblVec3d p[3];
    rblVec3d low, high;
} MeetingTriangle;

static MeetingTriangle load_triangle(const rblTetsCut* work, uint32_t number)
{
    MeetingTriangle t = {.number = number};
    rbl_tets_cut_triangle(work, number, t.p);
    t.low = rbl_min3d(rbl_min3d(t.p[0], t.p[1]), t.p[2]);
    t.high = rbl_max3d(rbl_max3d(t.p[0], t.p[1]), t.p[2]);
    return t;
}

// Whether boxes, or the facet's plane by more than rounding, keep the two apart: what most pairs end with.
static bool is_clear(const rblTetsCut* work, const MeetingTriangle* t, uint32_t facet)
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

static rblCutTrouble meet_pair(rblTetsCut* work, const MeetingTriangle* triangle, uint32_t facet)
{
    if (is_clear(work, triangle, facet))
    {
        return RBL_CUT_FINE;
    }
    const uint32_t corner_count = work->facets.data[facet].corner_count;
    Meeting meeting = {.count = 0};
    for (uint32_t half = 0; half + 2 < corner_count; ++half)
    {
        rblVec3d m[3];
        rbl_crack_half(work, facet, half, m);
        meet_half(work, triangle->p, m, half, &meeting);
    }
    if (meeting.tie)
    {
        return RBL_CUT_TIE;
    }
    if (meeting.count == 0)
    {
        return RBL_CUT_FINE;
    }
    return drop_diagonal(&meeting, corner_count) ? link_pair(work, triangle->number, facet, &meeting)
                                                 : RBL_CUT_TIE;
}

rblCutTrouble rbl_tets_cut_meetings(rblTetsCut* work)
{
    const rblTetsSurface* surface = work->surface;
    rblCutTrouble trouble = RBL_CUT_FINE;
    for (uint32_t first = 0, next; first < work->facets.count && trouble == RBL_CUT_FINE; first = next)
    {
        const uint32_t tet = work->facets.data[first].tet;
        for (next = first + 1; next < work->facets.count && work->facets.data[next].tet == tet;)
        {
            ++next;
        }
        const uint32_t end = surface->starts.data[tet + 1];
        for (uint32_t n = surface->starts.data[tet]; n < end && trouble == RBL_CUT_FINE; ++n)
        {
            const MeetingTriangle triangle = load_triangle(work, surface->triangles.data[n]);
            for (uint32_t f = first; f < next && trouble == RBL_CUT_FINE; ++f)
            {
                trouble = meet_pair(work, &triangle, f);
            }
        }
    }
    return trouble;
}
