// Triangulation of one hole of a surface.
#ifndef RBL_MESH_REPAIR_REPAIR_FILL_H
#define RBL_MESH_REPAIR_REPAIR_FILL_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_map.h"
#include "rubble/math.h"
#include "rubble/result.h"

// A boundary loop without repeated vertices, in the direction of the new triangles.
typedef struct rblHole
{
    uint32_t count;
    const uint32_t* vertices;
    const rblVec3d* points;
    const rblVec3d*
        across; // unit normal of the face on the other side of the edge from point i to point i + 1
    const rblHashMap* edges; // pairs of vertices that already have an edge between them
} rblHole;

// Append triangles that fill the hole, as indices in the loop, three per triangle. Every inner edge is new in the
// surface and every triangle has area; *found is false, and nothing is appended, when there is no such triangulation.
//
// Up to RBL_LARGEST_EXACT_HOLE edges: the triangulation with the smallest maximum of the angles between triangles and to
// the surface, and among these the one with the shortest edges, by dynamic programming (Barequet and Sharir 1995;
// weights after Liepa 2003, section 3, with the sum of squared edge lengths instead of the area, which avoids slivers in
// flat holes). Larger holes: ear clipping in the mean plane, improved by edge flips.
rblResult rbl_hole_triangulate(const rblHole* hole, rblArena* scratch, rblIndexArray* triangles, bool* found);

// Edges of a hole that is filled optimally: n^3 / 6 triangles are tested, 1.3 million at this size.
#define RBL_LARGEST_EXACT_HOLE 200u

#endif
