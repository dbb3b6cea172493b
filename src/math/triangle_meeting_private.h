// What the files behind triangle_meeting.h share.
#ifndef RBL_MATH_TRIANGLE_MEETING_PRIVATE_H
#define RBL_MATH_TRIANGLE_MEETING_PRIVATE_H

#include "math/triangle_meeting.h"
#include "math/vec.h"

static inline int rbl_sign_of(double value)
{
    return (value > 0) - (value < 0);
}

static inline int rbl_next_corner(int corner)
{
    return corner < 2 ? corner + 1 : 0;
}

// The edge between two corners.
static inline int rbl_edge_part(int corner, int other)
{
    return RBL_PART_EDGE + (rbl_next_corner(corner) == other ? corner : other);
}

// A total order of points, for results that must not depend on which way an edge runs.
static inline bool rbl_comes_before(rblVec3d p, rblVec3d q)
{
    return p.x != q.x ? p.x < q.x : (p.y != q.y ? p.y < q.y : p.z < q.z);
}

static inline void rbl_add_meeting_point(rblMeeting* meeting, rblVec3d at, int part_a, int part_b)
{
    meeting->points[meeting->count++] = (rblMeetingPoint){at, (uint8_t)part_a, (uint8_t)part_b};
}

typedef struct rblPoint2
{
    double at[2];
} rblPoint2;

// The point without one coordinate: exact, and it keeps incidence within a plane that is not seen edge-on.
static inline rblPoint2 rbl_project(rblVec3d p, int drop)
{
    return drop == 0 ? (rblPoint2){{p.y, p.z}}
                     : (drop == 1 ? (rblPoint2){{p.z, p.x}} : (rblPoint2){{p.x, p.y}});
}

// ---- triangle_crossing.c ----

// The point between p and q at which a linear function that is dp in p and dq in q vanishes; the two have different
// signs.
rblVec3d rbl_zero_between(rblVec3d p, double dp, rblVec3d q, double dq);

// Where the segments pq and uv cross, given that they do, inside both and not along a line.
rblVec3d rbl_crossing_of_segments(rblVec3d p, rblVec3d q, rblVec3d u, rblVec3d v);

// Where the segment pq goes through the plane of a triangle, with twice the digits.
rblVec3d rbl_crossing_of_face(rblVec3d p, rblVec3d q, const rblVec3d t[3]);

// Where the line from p to q, on different sides of a triangle's plane, goes through it: the part, or -1.
int rbl_locate_crossing(rblVec3d p, rblVec3d q, const rblVec3d t[3]);

// The point in which an edge of one triangle goes through a part of the other.
rblVec3d rbl_crossing_of_part(rblVec3d p, rblVec3d q, const rblVec3d t[3], int part);

// ---- triangle_meeting_flat.c ----

// The part of a triangle with area at a point of its plane; -1: none.
int rbl_locate_on_triangle(const rblVec3d t[3], rblVec3d point);

// At least one of the triangles is no triangle, or both lie in one plane.
bool rbl_flat_meeting(const rblVec3d a[3], const rblVec3d b[3], rblMeeting* meeting);

#endif
