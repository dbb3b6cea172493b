// Triangles for one hole of a surface.
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

// Append triangles that fill the hole, as places in the loop, three by three. Every inner edge is new to the
// surface and every triangle has area; *found is false, and nothing appended, when no such triangles were
// found.
//
// Up to RBL_LARGEST_EXACT_HOLE edges: those whose largest angle against each other and against the surface is
// least, and among these the ones of shortest edges, by dynamic programming (Barequet and Sharir 1995;
// weights after Liepa 2003, section 3, with the sum of squared edge lengths in place of the area: it keeps
// slivers out of flat holes). Beyond: ear clipping in the mean plane, improved by flipping edges.
rblResult rbl_hole_triangulate(const rblHole* hole, rblArena* scratch, rblIndexArray* triangles, bool* found);

// n^3 / 6 triangles are looked at.
#define RBL_LARGEST_EXACT_HOLE 200u

#endif
