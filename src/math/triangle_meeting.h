// What two triangles have in common, decided exactly.
//
// A triangle is the closed convex hull of its corners, whatever these are: one with all corners on a line is a segment,
// one with equal corners a point. Two triangles have nothing in common, a point, a segment, or a polygon of up to six
// corners when they lie in one plane. Every corner of the common part lies inside exactly one part of each triangle (a
// corner, an edge, the face), and these parts are always right; only where two of them cross is its position rounded.
#ifndef RBL_MATH_TRIANGLE_MEETING_H
#define RBL_MATH_TRIANGLE_MEETING_H

#include "rubble/math.h"
#include <stdbool.h>
#include <stdint.h>

// Parts of a triangle: the corners 0 to 2, edge k from corner k to the next as RBL_PART_EDGE + k, the face. A needle
// has two corners, those farthest apart, and the edge between them.
#define RBL_PART_EDGE 3
#define RBL_PART_FACE 6

// Corners of the intersection of two triangles in one plane: at most six.
#define RBL_MAX_MEETING_POINTS 6

typedef struct rblMeetingPoint
{
    rblVec3d at;
    uint8_t part_a, part_b;
} rblMeetingPoint;

typedef struct rblMeeting
{
    uint32_t count; // 0: apart, 1: a point, 2: a segment, 3 to 6: a polygon, its corners in order
    bool coplanar;  // all six corners lie in one plane
    rblMeetingPoint points[RBL_MAX_MEETING_POINTS];
} rblMeeting;

// Whether two triangles have a point in common, and what. Finite coordinates of any size.
//
// Positions: a corner is copied. Where an edge crosses a face or an edge the point is off by a few roundings of the
// coordinates, also where the crossing is nearly tangential, as long as coordinates stay within 2^-300 and 2^300. It
// depends on the edge and the face (or the two edges) alone: the two triangles of an edge get the same point, to the
// last bit, whichever way each of them runs along it.
bool rbl_triangle_meeting(const rblVec3d a[3], const rblVec3d b[3], rblMeeting* out);

// Where the edge from p to q goes through the inside of a face; the caller knows that it does. The same point, to the
// last bit, as rbl_triangle_meeting() finds.
rblVec3d rbl_edge_through_face(rblVec3d p, rblVec3d q, const rblVec3d face[3]);

#endif
