// A piece of a solid: what of it lies in a convex cell.
//
// The surface of the piece is the surface of the solid in the cell, and caps in the planes of the cell. Caps are chains of triangles
// with orientation: where the cap of a plane is not convex, triangles overlap and cancel. So volumes are exact, and no cap needs a
// triangulation. The corners of the hull do not come from caps: an extreme point of a piece is on the surface of the solid, or it is a
// corner of the cell inside the solid.
#ifndef RBL_FIELD_DECOMPOSE_SOLID_PART_H
#define RBL_FIELD_DECOMPOSE_SOLID_PART_H

#include "field/shape.h"
#include "math/vec.h"

typedef struct rblSoupTriangle
{
    rblVec3d p[3];
} rblSoupTriangle;
typedef RBL_ARRAY(rblSoupTriangle) rblSoup;

// All points x with dot(normal, x) <= offset. The normal is a unit vector.
typedef struct rblCutPlane
{
    rblVec3d normal;
    double offset;
} rblCutPlane;
typedef RBL_ARRAY(rblCutPlane) rblCutPlanes;

typedef struct rblSolidPart
{
    rblSoup surface;
    rblSoup caps;
    rblCutPlanes planes;
    rblPointArray points; // of the surface, each once; of a measured part the corners of its hull
    double volume;        // m^3
    double hull_volume;   // of a measured part, m^3
} rblSolidPart;

void rbl_solid_part_init(rblSolidPart* part, const rblAllocator* allocator);
void rbl_solid_part_free(rblSolidPart* part);

static inline rblCutPlane rbl_other_side(rblCutPlane plane)
{
    return (rblCutPlane){rbl_neg3d(plane.normal), -plane.offset};
}

// The height of a point above a plane. Below `snap` it is 0.
static inline double rbl_height_above(const rblCutPlane* plane, rblVec3d point, double snap)
{
    const double height = rbl_dot3d(plane->normal, point) - plane->offset;
    return fabs(height) < snap ? 0.0 : height;
}

// The point of an edge in a plane. The heights of its ends have different signs. The result is the same for both directions.
rblVec3d rbl_edge_crossing(rblVec3d a, rblVec3d b, double height_a, double height_b);

// The part of a triangle behind a plane: at most four corners, none if nothing is strictly behind it. `on`: whether a corner is in the
// plane.
uint32_t rbl_clip_triangle(const rblSoupTriangle* triangle, const rblCutPlane* plane, double snap,
                           rblVec3d out[4], bool on[4]);

// What of a part lies behind a plane, into an initialized part. False without memory.
bool rbl_solid_part_cut(const rblSolidPart* part, rblCutPlane plane, double snap, rblSolidPart* out);

// Sets the volume and the points of a part whose triangles and planes are set. `solid`: the whole surface. False without memory.
bool rbl_solid_part_collect(rblSolidPart* part, const rblSoup* solid, double snap);

// Replaces the points of a part by the corners of its hull, and sets its volume.
rblResult rbl_solid_part_measure(rblSolidPart* part);

// The volume of the hull of points; 0 if they are in one plane. `corners`, if not null, receives the corners of the hull.
rblResult rbl_points_hull_volume(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                 rblPointArray* corners, double* volume);

// Whether a point is inside a closed surface, by its winding number (van Oosterom and Strackee 1983).
bool rbl_soup_contains(const rblSoup* soup, rblVec3d point);

#endif
