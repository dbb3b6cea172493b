#include "math/predicates.h"
#include "math/triangle_intersection.h"
#include "math/triangle_meeting_private.h"

static int turn(const rblPoint2* a, const rblPoint2* b, const rblPoint2* c)
{
    return rbl_sign_of(rbl_orient2d(a->at, b->at, c->at));
}

// The convex hull of a triangle: a point, a segment or a triangle, given by one, two or three of its corners.
typedef struct Hull
{
    const rblVec3d* points; // all three corners
    int corners[3];
    int count;
    rblPoint2 flat[3]; // the corners without the coordinate `drop`
    int way;           // of three corners: 1 when they are counter-clockwise in the projection, otherwise -1
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
    // Of three collinear points the one between the others is not an end. Of equal corners the one with the lower
    // number counts.
    for (int i = 2; i > 0; --i)
    {
        const int j = rbl_next_corner(i);
        const int k = rbl_next_corner(j);
        if (point_between(t[j], t[i], t[k]))
        {
            return (Hull){.points = t, .corners = {j < k ? j : k, j < k ? k : j}, .count = 2};
        }
    }
    return (Hull){.points = t, .corners = {1, 2}, .count = 2};
}

static void flatten(Hull* hull, int drop)
{
    for (int i = 0; i < hull->count; ++i)
    {
        hull->flat[i] = rbl_project(hull->points[hull->corners[i]], drop);
    }
    hull->way = hull->count == 3 ? turn(&hull->flat[0], &hull->flat[1], &hull->flat[2]) : 0;
}

// The part of a flat triangle that contains the point; -1: none.
static int locate_in_triangle(const Hull* hull, const rblPoint2* p)
{
    int zeros = 0;
    int zero_sum = 0;
    for (int e = 0; e < 3; ++e)
    {
        const int side = turn(&hull->flat[e], &hull->flat[rbl_next_corner(e)], p) * hull->way;
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

// The part of a hull that contains a point of the common plane; -1: none.
static int locate(const Hull* hull, rblVec3d point, int drop)
{
    const rblPoint2 p = rbl_project(point, drop);
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
               ? rbl_edge_part(hull->corners[0], hull->corners[1])
               : -1;
}

// Whether two segments cross in their interiors.
static bool cross_properly(const rblPoint2* p, const rblPoint2* q, const rblPoint2* u, const rblPoint2* v)
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
                rbl_add_meeting_point(
                    meeting,
                    rbl_crossing_of_segments(a->points[a->corners[i]], a->points[a->corners[i1]],
                                             b->points[b->corners[j]], b->points[b->corners[j1]]),
                    rbl_edge_part(a->corners[i], a->corners[i1]),
                    rbl_edge_part(b->corners[j], b->corners[j1]));
            }
        }
    }
}

// The edges of a triangle that contain a part, as bits.
static uint32_t edges_at(uint32_t part)
{
    return part >= RBL_PART_FACE
               ? 0u
               : (part >= RBL_PART_EDGE ? 1u << (part - RBL_PART_EDGE) : 1u << part | 1u << (part + 2) % 3);
}

// Adjacent corners of the common polygon lie on one edge of one of the triangles; other pairs do not.
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

// Two hulls in one plane, in the projection without the coordinate `drop`, in which all their points are distinct.
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
            rbl_add_meeting_point(meeting, p, a->corners[i], part);
        }
    }
    for (int j = 0; j < b->count; ++j)
    {
        const rblVec3d p = b->points[b->corners[j]];
        const int part = locate(a, p, drop);
        if (part >= RBL_PART_EDGE) // corner on corner was found above
        {
            rbl_add_meeting_point(meeting, p, part, b->corners[j]);
        }
    }
    add_crossings(a, b, meeting);
    put_in_order(meeting);
    return meeting->count > 0;
}

// ---- needles and points ----

static bool turns_in(const rblVec3d p[4], int count, int drop)
{
    const rblPoint2 flat[4] = {rbl_project(p[0], drop), rbl_project(p[1], drop), rbl_project(p[2], drop),
                               rbl_project(p[3], drop)};
    return turn(&flat[0], &flat[1], &flat[2]) != 0 ||
           (count > 3 &&
            (turn(&flat[0], &flat[1], &flat[3]) != 0 || turn(&flat[0], &flat[2], &flat[3]) != 0 ||
             turn(&flat[1], &flat[2], &flat[3]) != 0));
}

// The coordinate to drop so that points in one plane, or on one line, stay distinct.
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

int rbl_locate_on_triangle(const rblVec3d t[3], rblVec3d point)
{
    Hull hull = {.points = t, .corners = {0, 1, 2}, .count = 3};
    const int drop = coordinate_of_triangle(t);
    flatten(&hull, drop);
    return locate(&hull, point, drop);
}

// Two hulls of one or two points each.
static bool needles_meet(Hull* a, Hull* b, rblMeeting* meeting)
{
    const rblVec3d p[4] = {a->points[a->corners[0]], a->points[a->corners[a->count - 1]],
                           b->points[b->corners[0]], b->points[b->corners[b->count - 1]]};
    meeting->coplanar = rbl_orient3d(p[0], p[1], p[2], p[3]) == 0;
    return meeting->coplanar && meet_in_plane(a, b, flattest_coordinate(p, 4), meeting);
}

// A needle or a point against a proper triangle whose plane does not contain it. `swapped`: the needle is triangle b.
static bool needle_meets_triangle(const Hull* needle, const rblVec3d t[3], bool swapped, rblMeeting* meeting)
{
    int own = -1, part = -1;
    rblVec3d at = {0, 0, 0};
    int sides[2] = {0, 0};
    for (int i = 0; i < needle->count; ++i)
    {
        const rblVec3d p = needle->points[needle->corners[i]];
        sides[i] = rbl_sign_of(rbl_orient3d(t[0], t[1], t[2], p));
        if (sides[i] == 0)
        {
            at = p;
            own = needle->corners[i];
            part = rbl_locate_on_triangle(t, p);
        }
    }
    if (sides[0] * sides[1] < 0)
    {
        const rblVec3d p = needle->points[needle->corners[0]], q = needle->points[needle->corners[1]];
        own = rbl_edge_part(needle->corners[0], needle->corners[1]);
        part = rbl_locate_crossing(p, q, t);
        at = part >= 0 ? rbl_crossing_of_part(p, q, t, part) : p;
    }
    if (part >= 0)
    {
        rbl_add_meeting_point(meeting, at, swapped ? part : own, swapped ? own : part);
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

bool rbl_flat_meeting(const rblVec3d a[3], const rblVec3d b[3], rblMeeting* meeting)
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
