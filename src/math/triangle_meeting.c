#include "math/triangle_meeting.h"

#include "math/double_double.h"
#include "math/predicates.h"
#include "math/triangle_intersection.h"
#include "math/vec.h"

static int sign(double value)
{
    return (value > 0) - (value < 0);
}

static int next_corner(int corner)
{
    return corner < 2 ? corner + 1 : 0;
}

static void add_point(rblMeeting* meeting, rblVec3d at, int part_a, int part_b)
{
    meeting->points[meeting->count++] = (rblMeetingPoint){at, (uint8_t)part_a, (uint8_t)part_b};
}

// ---- where things cross ----

static bool comes_before(rblVec3d p, rblVec3d q)
{
    return p.x != q.x ? p.x < q.x : (p.y != q.y ? p.y < q.y : p.z < q.z);
}

// The point between p and q at which a linear function that is dp in p and dq in q vanishes; the two have different
// signs.
static rblVec3d zero_between(rblVec3d p, double dp, rblVec3d q, double dq)
{
    // From the nearer end, where the step is smaller and so is its rounding.
    const bool near_q = fabs(dq) < fabs(dp);
    const rblVec3d from = near_q ? q : p;
    const rblVec3d step = rbl_sub3d(near_q ? p : q, from);
    const double t = rbl_clampd((near_q ? dq : dp) / (near_q ? dq - dp : dp - dq), 0.0, 1.0);
    const rblVec3d at = rbl_mul_add3d(from, t, step);
    return rbl_min3d(rbl_max3d(at, rbl_min3d(p, q)), rbl_max3d(p, q));
}

static rblDouble2 exact_minus(double a, double b)
{
    return rbl_two_sum(a, -b);
}

static rblDouble2 dd_minor(rblDouble2 ax, rblDouble2 ay, rblDouble2 bx, rblDouble2 by)
{
    return rbl_dd_add(rbl_dd_multiply(ax, by), rbl_dd_negate(rbl_dd_multiply(ay, bx)));
}

typedef struct Double2Vec
{
    rblDouble2 x, y, z;
} Double2Vec;

static Double2Vec dd_offset(rblVec3d a, rblVec3d b)
{
    return (Double2Vec){exact_minus(a.x, b.x), exact_minus(a.y, b.y), exact_minus(a.z, b.z)};
}

// (p - t0) . (t1 - t0) x (t2 - t0) with twice the digits.
static double fine_height(const rblVec3d t[3], rblVec3d p)
{
    const Double2Vec e = dd_offset(t[1], t[0]);
    const Double2Vec f = dd_offset(t[2], t[0]);
    const Double2Vec d = dd_offset(p, t[0]);
    const rblDouble2 x = rbl_dd_multiply(d.x, dd_minor(e.y, e.z, f.y, f.z));
    const rblDouble2 y = rbl_dd_multiply(d.y, dd_minor(e.z, e.x, f.z, f.x));
    const rblDouble2 z = rbl_dd_multiply(d.z, dd_minor(e.x, e.y, f.x, f.y));
    return rbl_dd_add(rbl_dd_add(x, y), z).high;
}

typedef struct Point2
{
    double at[2];
} Point2;

// The point without one coordinate: exact, and it keeps incidence within a plane that is not seen edge-on.
static Point2 project(rblVec3d p, int drop)
{
    return drop == 0 ? (Point2){{p.y, p.z}} : (drop == 1 ? (Point2){{p.z, p.x}} : (Point2){{p.x, p.y}});
}

static int turn(const Point2* a, const Point2* b, const Point2* c)
{
    return sign(rbl_orient2d(a->at, b->at, c->at));
}

// Twice the area of a, b, c with twice the digits.
static double fine_area(Point2 a, Point2 b, Point2 c)
{
    return dd_minor(exact_minus(b.at[0], a.at[0]), exact_minus(b.at[1], a.at[1]),
                    exact_minus(c.at[0], a.at[0]), exact_minus(c.at[1], a.at[1]))
        .high;
}

// Where the segments pq and uv cross, given that they do, inside both and not along a line.
static rblVec3d crossing_of_segments(rblVec3d p, rblVec3d q, rblVec3d u, rblVec3d v)
{
    // In the projection in which they cross most openly; ends in a fixed order, so that neighbours agree.
    const rblVec3d p0 = comes_before(p, q) ? p : q, p1 = comes_before(p, q) ? q : p;
    const rblVec3d u0 = comes_before(u, v) ? u : v, u1 = comes_before(u, v) ? v : u;
    const rblVec3d n = rbl_cross3d(rbl_sub3d(p1, p0), rbl_sub3d(u1, u0));
    const rblVec3d m = {fabs(n.x), fabs(n.y), fabs(n.z)};
    const int drop = m.x >= m.y && m.x >= m.z ? 0 : (m.y >= m.z ? 1 : 2);
    const Point2 a = project(u0, drop), b = project(u1, drop);
    return zero_between(p0, fine_area(a, b, project(p0, drop)), p1, fine_area(a, b, project(p1, drop)));
}

// ---- in one plane, on one line or in one point ----

// A triangle as what it really is: a point, a segment or a triangle, by one, two or three of its corners.
typedef struct Hull
{
    const rblVec3d* points; // all three corners
    int corners[3];
    int count;
    Point2 flat[3]; // the corners without the coordinate `drop`
    int way;        // of three corners: 1 when they turn left in the projection, else -1
} Hull;

static bool between(double a, double x, double b)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

static bool point_between(rblVec3d a, rblVec3d p, rblVec3d b)
{
    return between(a.x, p.x, b.x) && between(a.y, p.y, b.y) && between(a.z, p.z, b.z);
}

static Hull make_hull(const rblVec3d t[3])
{
    if (!rbl_collinear3d(t[0], t[1], t[2]))
    {
        return (Hull){.points = t, .corners = {0, 1, 2}, .count = 3};
    }
    if (rbl_equal3d(t[0], t[1]) && rbl_equal3d(t[1], t[2]))
    {
        return (Hull){.points = t, .corners = {0}, .count = 1};
    }
    // Of three points on a line the one between the others is no end. Equal corners count by the lower number.
    for (int i = 2; i > 0; --i)
    {
        const int j = next_corner(i);
        const int k = next_corner(j);
        if (point_between(t[j], t[i], t[k]))
        {
            return (Hull){.points = t, .corners = {j < k ? j : k, j < k ? k : j}, .count = 2};
        }
    }
    return (Hull){.points = t, .corners = {1, 2}, .count = 2};
}

static int edge_part(int corner, int other)
{
    return RBL_PART_EDGE + (next_corner(corner) == other ? corner : other);
}

static void flatten(Hull* hull, int drop)
{
    for (int i = 0; i < hull->count; ++i)
    {
        hull->flat[i] = project(hull->points[hull->corners[i]], drop);
    }
    hull->way = hull->count == 3 ? turn(&hull->flat[0], &hull->flat[1], &hull->flat[2]) : 0;
}

// The part of a flat triangle that lies at the point; -1: none.
static int locate_in_triangle(const Hull* hull, const Point2* p)
{
    int zeros = 0;
    int zero_sum = 0;
    for (int e = 0; e < 3; ++e)
    {
        const int side = turn(&hull->flat[e], &hull->flat[next_corner(e)], p) * hull->way;
        if (side < 0)
        {
            return -1;
        }
        zeros += side == 0;
        zero_sum += side == 0 ? e : 0;
    }
    // Edges 0 and 1 end in corner 1, 1 and 2 in corner 2, 2 and 0 in corner 0.
    return zeros == 0 ? RBL_PART_FACE : (zeros == 1 ? RBL_PART_EDGE + zero_sum : (zero_sum * 2 + 2) % 3);
}

// The part of a hull that lies at a point of the common plane; -1: none.
static int locate(const Hull* hull, rblVec3d point, int drop)
{
    const Point2 p = project(point, drop);
    if (hull->count == 3)
    {
        return locate_in_triangle(hull, &p);
    }
    for (int i = 0; i < hull->count; ++i)
    {
        if (rbl_equal3d(hull->points[hull->corners[i]], point))
        {
            return hull->corners[i];
        }
    }
    const bool on_line = hull->count == 2 && turn(&hull->flat[0], &hull->flat[1], &p) == 0;
    return on_line && point_between(hull->points[hull->corners[0]], point, hull->points[hull->corners[1]])
               ? edge_part(hull->corners[0], hull->corners[1])
               : -1;
}

// Two segments that cross inside both of them.
static bool cross_properly(const Point2* p, const Point2* q, const Point2* u, const Point2* v)
{
    return turn(u, v, p) * turn(u, v, q) < 0 && turn(p, q, u) * turn(p, q, v) < 0;
}

static void add_crossings(const Hull* a, const Hull* b, rblMeeting* meeting)
{
    const int edges_a = a->count == 3 ? 3 : a->count - 1;
    const int edges_b = b->count == 3 ? 3 : b->count - 1;
    for (int i = 0; i < edges_a; ++i)
    {
        const int i1 = (i + 1) % a->count;
        for (int j = 0; j < edges_b; ++j)
        {
            const int j1 = (j + 1) % b->count;
            if (cross_properly(&a->flat[i], &a->flat[i1], &b->flat[j], &b->flat[j1]))
            {
                add_point(meeting,
                          crossing_of_segments(a->points[a->corners[i]], a->points[a->corners[i1]],
                                               b->points[b->corners[j]], b->points[b->corners[j1]]),
                          edge_part(a->corners[i], a->corners[i1]), edge_part(b->corners[j], b->corners[j1]));
            }
        }
    }
}

// The edges of a triangle that a part lies on, as bits.
static uint32_t edges_at(uint32_t part)
{
    return part >= RBL_PART_FACE
               ? 0u
               : (part >= RBL_PART_EDGE ? 1u << (part - RBL_PART_EDGE) : 1u << part | 1u << (part + 2) % 3);
}

// Neighbouring corners of the common polygon lie on one edge of one of the triangles; others do not.
static void put_in_order(rblMeeting* meeting)
{
    rblMeetingPoint* points = meeting->points;
    for (uint32_t i = 0; i + 2 < meeting->count; ++i)
    {
        uint32_t next = i + 1;
        while (next + 1 < meeting->count &&
               (edges_at(points[i].part_a) & edges_at(points[next].part_a)) == 0 &&
               (edges_at(points[i].part_b) & edges_at(points[next].part_b)) == 0)
        {
            next += 1;
        }
        const rblMeetingPoint swap = points[i + 1];
        points[i + 1] = points[next];
        points[next] = swap;
    }
}

// Two hulls in one plane, seen without the coordinate `drop`, which tells all their points apart.
static bool meet_in_plane(Hull* a, Hull* b, int drop, rblMeeting* meeting)
{
    flatten(a, drop);
    flatten(b, drop);
    for (int i = 0; i < a->count; ++i)
    {
        const rblVec3d p = a->points[a->corners[i]];
        const int part = locate(b, p, drop);
        if (part >= 0)
        {
            add_point(meeting, p, a->corners[i], part);
        }
    }
    for (int j = 0; j < b->count; ++j)
    {
        const rblVec3d p = b->points[b->corners[j]];
        const int part = locate(a, p, drop);
        if (part >= RBL_PART_EDGE) // a corner on a corner was found above
        {
            add_point(meeting, p, part, b->corners[j]);
        }
    }
    add_crossings(a, b, meeting);
    put_in_order(meeting);
    return meeting->count > 0;
}

// ---- needles and points ----

static bool turns_in(const rblVec3d p[4], int count, int drop)
{
    const Point2 flat[4] = {project(p[0], drop), project(p[1], drop), project(p[2], drop),
                            project(p[3], drop)};
    return turn(&flat[0], &flat[1], &flat[2]) != 0 ||
           (count > 3 &&
            (turn(&flat[0], &flat[1], &flat[3]) != 0 || turn(&flat[0], &flat[2], &flat[3]) != 0 ||
             turn(&flat[1], &flat[2], &flat[3]) != 0));
}

// The coordinate to leave out so that points in one plane, or on one line, stay apart.
static int flattest_coordinate(const rblVec3d p[4], int count)
{
    for (int drop = 0; drop < 3; ++drop)
    {
        if (turns_in(p, count, drop))
        {
            return drop;
        }
    }
    bool same_x = true;
    for (int i = 1; i < count; ++i)
    {
        same_x = same_x && p[i].x == p[0].x;
    }
    return same_x ? 0 : 2;
}

static int coordinate_of_triangle(const rblVec3d t[3])
{
    const rblVec3d p[4] = {t[0], t[1], t[2], t[2]};
    return flattest_coordinate(p, 3);
}

// Two hulls of one or two points each.
static bool needles_meet(Hull* a, Hull* b, rblMeeting* meeting)
{
    const rblVec3d p[4] = {a->points[a->corners[0]], a->points[a->corners[a->count - 1]],
                           b->points[b->corners[0]], b->points[b->corners[b->count - 1]]};
    meeting->coplanar = rbl_orient3d(p[0], p[1], p[2], p[3]) == 0;
    return meeting->coplanar && meet_in_plane(a, b, flattest_coordinate(p, 4), meeting);
}

// Where the line from p to q, on different sides of a triangle's plane, goes through it: the part, or -1.
static int locate_crossing(rblVec3d p, rblVec3d q, const rblVec3d t[3])
{
    int zeros = 0;
    int zero_sum = 0;
    int way = 0;
    for (int e = 0; e < 3; ++e)
    {
        const int side = sign(rbl_orient3d(p, q, t[e], t[next_corner(e)]));
        if (side != 0 && side == -way)
        {
            return -1;
        }
        way = side != 0 ? side : way;
        zeros += side == 0;
        zero_sum += side == 0 ? e : 0;
    }
    return zeros == 0 ? RBL_PART_FACE : (zeros == 1 ? RBL_PART_EDGE + zero_sum : (zero_sum * 2 + 2) % 3);
}

static rblVec3d crossing_of_face(rblVec3d p, rblVec3d q, const rblVec3d t[3])
{
    const rblVec3d first = comes_before(p, q) ? p : q, last = comes_before(p, q) ? q : p;
    return zero_between(first, fine_height(t, first), last, fine_height(t, last));
}

// The point in which an edge of one triangle goes through a part of the other.
static rblVec3d crossing_of_part(rblVec3d p, rblVec3d q, const rblVec3d t[3], int part)
{
    if (part == RBL_PART_FACE)
    {
        return crossing_of_face(p, q, t);
    }
    if (part >= RBL_PART_EDGE)
    {
        const int edge = part - RBL_PART_EDGE;
        return crossing_of_segments(p, q, t[edge], t[next_corner(edge)]);
    }
    return t[part];
}

// A needle or a point against a real triangle whose plane it does not lie in. `swapped`: the needle is triangle b.
static bool needle_meets_triangle(const Hull* needle, const rblVec3d t[3], bool swapped, rblMeeting* meeting)
{
    int own = -1, part = -1;
    rblVec3d at = {0, 0, 0};
    int sides[2] = {0, 0};
    for (int i = 0; i < needle->count; ++i)
    {
        const rblVec3d p = needle->points[needle->corners[i]];
        sides[i] = sign(rbl_orient3d(t[0], t[1], t[2], p));
        if (sides[i] == 0)
        {
            Hull flat = {.points = t, .corners = {0, 1, 2}, .count = 3};
            const int drop = coordinate_of_triangle(t);
            flatten(&flat, drop);
            at = p;
            own = needle->corners[i];
            part = locate(&flat, p, drop);
        }
    }
    if (sides[0] * sides[1] < 0)
    {
        const rblVec3d p = needle->points[needle->corners[0]], q = needle->points[needle->corners[1]];
        own = edge_part(needle->corners[0], needle->corners[1]);
        part = locate_crossing(p, q, t);
        at = part >= 0 ? crossing_of_part(p, q, t, part) : p;
    }
    if (part >= 0)
    {
        add_point(meeting, at, swapped ? part : own, swapped ? own : part);
    }
    return part >= 0;
}

static bool in_plane_of(const Hull* hull, const rblVec3d t[3])
{
    bool all = true;
    for (int i = 0; i < hull->count && all; ++i)
    {
        all = rbl_orient3d(t[0], t[1], t[2], hull->points[hull->corners[i]]) == 0;
    }
    return all;
}

// At least one of the triangles is no triangle, or both lie in one plane.
static bool special_meeting(const rblVec3d a[3], const rblVec3d b[3], rblMeeting* meeting)
{
    Hull ha = make_hull(a);
    Hull hb = make_hull(b);
    if (ha.count < 3 && hb.count < 3)
    {
        return needles_meet(&ha, &hb, meeting);
    }
    const rblVec3d* plane = ha.count == 3 ? a : b;
    meeting->coplanar = in_plane_of(ha.count == 3 ? &hb : &ha, plane);
    if (meeting->coplanar)
    {
        return meet_in_plane(&ha, &hb, coordinate_of_triangle(plane), meeting);
    }
    return ha.count < 3 ? needle_meets_triangle(&ha, b, false, meeting)
                        : needle_meets_triangle(&hb, a, true, meeting);
}

// ---- in space ----

// The plane of a triangle t: n = e x f, e = t1 - t0, f = t2 - t0, and `size`, the same with every product taken
// positive, which the error of a height (p - t0) . n is proportional to.
typedef struct Plane
{
    const rblVec3d* t;
    rblVec3d normal, size;
} Plane;

// A vertex against a plane.
typedef struct Height
{
    double value;
    double bound; // sum of the magnitudes of all its terms
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

// The same filter as orient3d's in predicates.c: eight roundings in a term, the products that may underflow multiplied
// by no more than 2^500.
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
        h.sign = sign(h.value);
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

// Where edge pq goes through the face. A height is off by 9/2^53 of its bound at most: when their difference is a fair
// part of that, plain arithmetic is good enough.
static rblVec3d pierced_at(const Plane* plane, rblVec3d p, const Height* hp, rblVec3d q, const Height* hq)
{
    const bool clear = fabs(hp->value - hq->value) * 32.0 > hp->bound + hq->bound;
    if (!clear)
    {
        return crossing_of_face(p, q, plane->t);
    }
    return comes_before(p, q) ? zero_between(p, hp->value, q, hq->value)
                              : zero_between(q, hq->value, p, hp->value);
}

rblVec3d rbl_edge_through_face(rblVec3d p, rblVec3d q, const rblVec3d face[3])
{
    const Plane plane = plane_of(face);
    const Height hp = height_of(&plane, p);
    const Height hq = height_of(&plane, q);
    return pierced_at(&plane, p, &hp, q, &hq);
}

// Corners of one triangle that lie in the plane of the other. Corners on corners are left to triangle a.
static void add_corners(const rblVec3d t[3], const Height heights[3], const rblVec3d other[3], bool swapped,
                        rblMeeting* meeting)
{
    for (int i = 0; i < 3; ++i)
    {
        if (heights[i].sign != 0)
        {
            continue;
        }
        Hull flat = {.points = other, .corners = {0, 1, 2}, .count = 3};
        const int drop = coordinate_of_triangle(other);
        flatten(&flat, drop);
        const int part = locate(&flat, t[i], drop);
        if (part >= (swapped ? RBL_PART_EDGE : 0))
        {
            add_point(meeting, t[i], swapped ? part : i, swapped ? i : part);
        }
    }
}

// Edges of triangle a that go through the face or an edge of b. (Those through a corner are found as corners of b.)
static void add_edges_of_a(const rblVec3d a[3], const Height heights[3], const Plane* plane,
                           rblMeeting* meeting)
{
    for (int i = 0; i < 3; ++i)
    {
        const int k = next_corner(i);
        if (heights[i].sign * heights[k].sign >= 0)
        {
            continue;
        }
        const int part = locate_crossing(a[i], a[k], plane->t);
        if (part == RBL_PART_FACE)
        {
            const rblVec3d at = pierced_at(plane, a[i], &heights[i], a[k], &heights[k]);
            add_point(meeting, at, RBL_PART_EDGE + i, part);
        }
        else if (part >= RBL_PART_EDGE)
        {
            add_point(meeting, crossing_of_part(a[i], a[k], plane->t, part), RBL_PART_EDGE + i, part);
        }
    }
}

// Edges of triangle b that go through the face of a, or through an edge of a that lies in the plane of b; where both
// edges go through the other's plane their crossing was found from the side of a.
static void add_edges_of_b(const rblVec3d b[3], const Height heights[3], const Plane* plane,
                           const Height heights_a[3], rblMeeting* meeting)
{
    for (int j = 0; j < 3 && meeting->count < 2; ++j)
    {
        const int k = next_corner(j);
        if (heights[j].sign * heights[k].sign >= 0)
        {
            continue;
        }
        const int part = locate_crossing(b[j], b[k], plane->t);
        if (part == RBL_PART_FACE)
        {
            const rblVec3d at = pierced_at(plane, b[j], &heights[j], b[k], &heights[k]);
            add_point(meeting, at, part, RBL_PART_EDGE + j);
        }
        else if (part >= RBL_PART_EDGE)
        {
            const int edge = part - RBL_PART_EDGE;
            if (heights_a[edge].sign == 0 && heights_a[next_corner(edge)].sign == 0)
            {
                const rblVec3d at =
                    crossing_of_segments(plane->t[edge], plane->t[next_corner(edge)], b[j], b[k]);
                add_point(meeting, at, part, RBL_PART_EDGE + j);
            }
        }
    }
}

// ---- in general position ----

// The volumes of the edge that runs from a0 along e with the edges of b, by their sides b0 x b1 seen from a0: a filtered
// sign, 0 when it is doubtful. Bounds as in height_of().
static int clear_sign(rblVec3d e, const Plane* side)
{
    const rblVec3d m = {fabs(e.x), fabs(e.y), fabs(e.z)};
    const double value = rbl_dot3d(e, side->normal);
    const bool clear =
        m.x + m.y + m.z <= 0x1p500 && fabs(value) > 9.0 * 0x1p-53 * rbl_dot3d(m, side->size) + 0x1p-560;
    return clear ? (value > 0 ? 1 : -1) : 0;
}

// The corner that is alone on its side of the other plane comes first, then the others; in the triangle's own order when
// `upright`, else the other way round.
static void put_lone_first(const Height h[3], bool upright, int out[3])
{
    out[0] = h[0].sign == h[1].sign ? 2 : (h[0].sign == h[2].sign ? 1 : 0);
    const int next = next_corner(out[0]);
    out[upright ? 1 : 2] = next;
    out[upright ? 2 : 1] = next_corner(next);
}

// A triangle ready for general_meeting().
typedef struct Side
{
    const Plane* plane;    // its own
    const Height* heights; // above the other one's plane
    int order[3];          // put_lone_first()
} Side;

// The point where edge order[0] order[k] of `of` goes through the face of `other`.
static rblVec3d end_point(const Side* of, int k, const Side* other)
{
    const int i = of->order[0];
    const int j = of->order[k];
    return pierced_at(other->plane, of->plane->t[i], &of->heights[i], of->plane->t[j], &of->heights[j]);
}

static int end_edge(const Side* of, int k)
{
    return RBL_PART_EDGE + (next_corner(of->order[0]) == of->order[k] ? of->order[0] : of->order[k]);
}

// No corner lies in the other plane: each triangle cuts the line of the two planes in an interval, and the intervals are
// compared (Guigue and Devillers 2003). Turn both triangles so that a0 and b0 are alone on their sides, both above the
// other's plane. Along n_a x n_b the line enters a through a0 a2 and leaves it through a0 a1, and enters b through b0 b1
// and leaves it through b0 b2. V_xy = (a_x - a0) . (b0 - a0) x (b_y - a0) tells which comes first of the points on
// a0 a_x and b0 b_y: that of a when V_xy > 0. Returns 1 or 0 for meeting or not, -1 when some sign is in doubt.
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
    if (v21 < 0) // b is entered first
    {
        add_point(out, end_point(a, 2, b), end_edge(a, 2), RBL_PART_FACE);
    }
    else
    {
        add_point(out, end_point(b, 1, a), RBL_PART_FACE, end_edge(b, 1));
    }
    if (v12 < 0) // b is left first
    {
        add_point(out, end_point(b, 2, a), RBL_PART_FACE, end_edge(b, 2));
    }
    else
    {
        add_point(out, end_point(a, 1, b), end_edge(a, 1), RBL_PART_FACE);
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
    // A triangle without area has all heights zero above its "plane", and so have triangles in one plane.
    if (all_on(heights_a) || all_on(heights_b))
    {
        return special_meeting(a, b, out);
    }
    add_corners(a, heights_a, b, false, out);
    add_corners(b, heights_b, a, true, out);
    add_edges_of_a(a, heights_a, &plane_b, out);
    add_edges_of_b(b, heights_b, &plane_a, heights_a, out);
    return out->count > 0;
}
