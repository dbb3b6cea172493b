#include "math/triangle_meeting.h"

#include "math/predicates.h"
#include "math/triangle_meeting_private.h"

// ---- in space ----

// The plane of a triangle t: n = e x f, e = t1 - t0, f = t2 - t0, and `size`, the same with the absolute values of
// all products, to which the error of a height (p - t0) . n is proportional.
typedef struct Plane
{
    const rblVec3d* t;
    rblVec3d normal, size;
} Plane;

// The height of a vertex above a plane.
typedef struct Height
{
    double value;
    double bound; // sum of the absolute values of all its terms
    int sign;     // exact
} Height;

static Plane plane_of(const rblVec3d t[3])
{
    const rblVec3d e = rbl_sub3d(t[1], t[0]);
    const rblVec3d f = rbl_sub3d(t[2], t[0]);
    const double yz = e.y * f.z, zy = e.z * f.y;
    const double zx = e.z * f.x, xz = e.x * f.z;
    const double xy = e.x * f.y, yx = e.y * f.x;
    return (Plane){
        t, {yz - zy, zx - xz, xy - yx}, {fabs(yz) + fabs(zy), fabs(zx) + fabs(xz), fabs(xy) + fabs(yx)}};
}

// The same filter as that of orient3d in predicates.c: eight roundings per term; products that may underflow are
// multiplied by at most 2^500.
static Height height_of(const Plane* plane, rblVec3d p)
{
    const rblVec3d d = rbl_sub3d(p, plane->t[0]);
    const rblVec3d m = {fabs(d.x), fabs(d.y), fabs(d.z)};
    Height h = {.value = rbl_dot3d(d, plane->normal), .bound = rbl_dot3d(m, plane->size)};
    if (m.x + m.y + m.z <= 0x1p500 && fabs(h.value) > 9.0 * 0x1p-53 * h.bound + 0x1p-560)
    {
        h.sign = h.value > 0 ? 1 : -1;
    }
    else
    {
        h.value = -rbl_orient3d(plane->t[0], plane->t[1], plane->t[2], p);
        h.sign = rbl_sign_of(h.value);
    }
    return h;
}

static bool on_one_side(const Height h[3])
{
    return h[0].sign == h[1].sign && h[1].sign == h[2].sign && h[0].sign != 0;
}

static bool all_on(const Height h[3])
{
    return h[0].sign == 0 && h[1].sign == 0 && h[2].sign == 0;
}

// The point where edge pq crosses the face. The error of a height is at most 9/2^53 of its bound: when the difference
// of the heights is not small compared with the bound, double precision is sufficient.
static rblVec3d pierced_at(const Plane* plane, rblVec3d p, const Height* hp, rblVec3d q, const Height* hq)
{
    const bool clear = fabs(hp->value - hq->value) * 32.0 > hp->bound + hq->bound;
    if (!clear)
    {
        return rbl_crossing_of_face(p, q, plane->t);
    }
    return rbl_comes_before(p, q) ? rbl_zero_between(p, hp->value, q, hq->value)
                                  : rbl_zero_between(q, hq->value, p, hp->value);
}

rblVec3d rbl_edge_through_face(rblVec3d p, rblVec3d q, const rblVec3d face[3])
{
    const Plane plane = plane_of(face);
    const Height hp = height_of(&plane, p);
    const Height hq = height_of(&plane, q);
    return pierced_at(&plane, p, &hp, q, &hq);
}

// Corners of one triangle in the plane of the other. Corners on corners are added only for triangle a.
static void add_corners(const rblVec3d t[3], const Height heights[3], const rblVec3d other[3], bool swapped,
                        rblMeeting* meeting)
{
    for (int i = 0; i < 3; ++i)
    {
        if (heights[i].sign != 0)
        {
            continue;
        }
        const int part = rbl_locate_on_triangle(other, t[i]);
        if (part >= (swapped ? RBL_PART_EDGE : 0))
        {
            rbl_add_meeting_point(meeting, t[i], swapped ? part : i, swapped ? i : part);
        }
    }
}

// Edges of triangle a that cross the face or an edge of b. (Those through a corner are found as corners of b.)
static void add_edges_of_a(const rblVec3d a[3], const Height heights[3], const Plane* plane,
                           rblMeeting* meeting)
{
    for (int i = 0; i < 3; ++i)
    {
        const int k = rbl_next_corner(i);
        if (heights[i].sign * heights[k].sign >= 0)
        {
            continue;
        }
        const int part = rbl_locate_crossing(a[i], a[k], plane->t);
        if (part == RBL_PART_FACE)
        {
            const rblVec3d at = pierced_at(plane, a[i], &heights[i], a[k], &heights[k]);
            rbl_add_meeting_point(meeting, at, RBL_PART_EDGE + i, part);
        }
        else if (part >= RBL_PART_EDGE)
        {
            rbl_add_meeting_point(meeting, rbl_crossing_of_part(a[i], a[k], plane->t, part),
                                  RBL_PART_EDGE + i, part);
        }
    }
}

// Edges of triangle b that cross the face of a, or an edge of a in the plane of b. Where both edges cross the plane
// of the other triangle, the crossing was already found from the side of a.
static void add_edges_of_b(const rblVec3d b[3], const Height heights[3], const Plane* plane,
                           const Height heights_a[3], rblMeeting* meeting)
{
    for (int j = 0; j < 3 && meeting->count < 2; ++j)
    {
        const int k = rbl_next_corner(j);
        if (heights[j].sign * heights[k].sign >= 0)
        {
            continue;
        }
        const int part = rbl_locate_crossing(b[j], b[k], plane->t);
        if (part == RBL_PART_FACE)
        {
            const rblVec3d at = pierced_at(plane, b[j], &heights[j], b[k], &heights[k]);
            rbl_add_meeting_point(meeting, at, part, RBL_PART_EDGE + j);
        }
        else if (part >= RBL_PART_EDGE)
        {
            const int edge = part - RBL_PART_EDGE;
            if (heights_a[edge].sign == 0 && heights_a[rbl_next_corner(edge)].sign == 0)
            {
                const rblVec3d at =
                    rbl_crossing_of_segments(plane->t[edge], plane->t[rbl_next_corner(edge)], b[j], b[k]);
                rbl_add_meeting_point(meeting, at, part, RBL_PART_EDGE + j);
            }
        }
    }
}

// ---- in general position ----

// The volumes of the edge from a0 along e with the edges of b, from the planes b0 x b1 seen from a0: a filtered sign,
// 0 when it is uncertain. Bounds as in height_of().
static int clear_sign(rblVec3d e, const Plane* side)
{
    const rblVec3d m = {fabs(e.x), fabs(e.y), fabs(e.z)};
    const double value = rbl_dot3d(e, side->normal);
    const bool clear =
        m.x + m.y + m.z <= 0x1p500 && fabs(value) > 9.0 * 0x1p-53 * rbl_dot3d(m, side->size) + 0x1p-560;
    return clear ? (value > 0 ? 1 : -1) : 0;
}

// The corner that is alone on its side of the other plane comes first, then the others: in the order of the triangle
// if `upright`, otherwise in reverse.
static void put_lone_first(const Height h[3], bool upright, int out[3])
{
    out[0] = h[0].sign == h[1].sign ? 2 : (h[0].sign == h[2].sign ? 1 : 0);
    const int next = rbl_next_corner(out[0]);
    out[upright ? 1 : 2] = next;
    out[upright ? 2 : 1] = rbl_next_corner(next);
}

// A triangle prepared for general_meeting().
typedef struct Side
{
    const Plane* plane;    // of the triangle itself
    const Height* heights; // above the plane of the other triangle
    int order[3];          // from put_lone_first()
} Side;

// The point where edge order[0] order[k] of `of` crosses the face of `other`.
static rblVec3d end_point(const Side* of, int k, const Side* other)
{
    const int i = of->order[0];
    const int j = of->order[k];
    return pierced_at(other->plane, of->plane->t[i], &of->heights[i], of->plane->t[j], &of->heights[j]);
}

// No corner lies in the other plane: each triangle cuts the common line of the two planes in an interval, and the
// intervals are compared (Guigue and Devillers 2003). Both triangles are rotated so that a0 and b0 are alone on their
// sides, above the plane of the other triangle. Along n_a x n_b the line enters a through a0 a2 and leaves it through
// a0 a1, and enters b through b0 b1 and leaves it through b0 b2. V_xy = (a_x - a0) . (b0 - a0) x (b_y - a0) gives the
// order of the points on a0 a_x and b0 b_y: that of a comes first when V_xy > 0. Returns 1 when they meet, 0 when
// not, -1 when some sign is uncertain.
static int general_meeting(const Side* a, const Side* b, rblMeeting* out)
{
    const rblVec3d a0 = a->plane->t[a->order[0]];
    const rblVec3d b0 = b->plane->t[b->order[0]];
    const rblVec3d e1 = rbl_sub3d(a->plane->t[a->order[1]], a0);
    const rblVec3d e2 = rbl_sub3d(a->plane->t[a->order[2]], a0);
    const rblVec3d side1[3] = {a0, b0, b->plane->t[b->order[1]]};
    const rblVec3d side2[3] = {a0, b0, b->plane->t[b->order[2]]};
    const Plane plane1 = plane_of(side1);
    const Plane plane2 = plane_of(side2);
    const int v11 = clear_sign(e1, &plane1);
    const int v22 = clear_sign(e2, &plane2);
    if (v11 > 0 || v22 < 0)
    {
        return 0;
    }
    const int v21 = clear_sign(e2, &plane1);
    const int v12 = clear_sign(e1, &plane2);
    if (v11 == 0 || v22 == 0 || v21 == 0 || v12 == 0)
    {
        return -1;
    }
    if (v21 < 0) // the line enters b first
    {
        rbl_add_meeting_point(out, end_point(a, 2, b), rbl_edge_part(a->order[0], a->order[2]),
                              RBL_PART_FACE);
    }
    else
    {
        rbl_add_meeting_point(out, end_point(b, 1, a), RBL_PART_FACE,
                              rbl_edge_part(b->order[0], b->order[1]));
    }
    if (v12 < 0) // the line leaves b first
    {
        rbl_add_meeting_point(out, end_point(b, 2, a), RBL_PART_FACE,
                              rbl_edge_part(b->order[0], b->order[2]));
    }
    else
    {
        rbl_add_meeting_point(out, end_point(a, 1, b), rbl_edge_part(a->order[0], a->order[1]),
                              RBL_PART_FACE);
    }
    return 1;
}

static bool none_on(const Height h[3])
{
    return h[0].sign != 0 && h[1].sign != 0 && h[2].sign != 0;
}

bool rbl_triangle_meeting(const rblVec3d a[3], const rblVec3d b[3], rblMeeting* out)
{
    out->count = 0;
    out->coplanar = false;
    const Plane plane_b = plane_of(b);
    const Height heights_a[3] = {height_of(&plane_b, a[0]), height_of(&plane_b, a[1]),
                                 height_of(&plane_b, a[2])};
    if (on_one_side(heights_a))
    {
        return false;
    }
    const Plane plane_a = plane_of(a);
    const Height heights_b[3] = {height_of(&plane_a, b[0]), height_of(&plane_a, b[1]),
                                 height_of(&plane_a, b[2])};
    if (on_one_side(heights_b))
    {
        return false;
    }
    if (none_on(heights_a) && none_on(heights_b))
    {
        Side side_a = {.plane = &plane_a, .heights = heights_a};
        Side side_b = {.plane = &plane_b, .heights = heights_b};
        put_lone_first(heights_b, true, side_b.order);
        put_lone_first(heights_a, heights_b[side_b.order[0]].sign > 0, side_a.order);
        put_lone_first(heights_b, heights_a[side_a.order[0]].sign > 0, side_b.order);
        const int answer = general_meeting(&side_a, &side_b, out);
        if (answer >= 0)
        {
            return answer > 0;
        }
    }
    // All heights above the "plane" of a triangle without area are zero, and so are those of triangles in one plane.
    if (all_on(heights_a) || all_on(heights_b))
    {
        return rbl_flat_meeting(a, b, out);
    }
    add_corners(a, heights_a, b, false, out);
    add_corners(b, heights_b, a, true, out);
    add_edges_of_a(a, heights_a, &plane_b, out);
    add_edges_of_b(b, heights_b, &plane_a, heights_a, out);
    return out->count > 0;
}
