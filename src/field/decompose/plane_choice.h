// Choice of the plane that cuts a piece of a solid.
//
// Candidates are planes at even positions along the axes, planes through concave edges (in the faces beside the edge, and between
// them), and planes of random directions. The best has the least volume of the hulls of both sides; of nearly equal ones the most even.
#ifndef RBL_FIELD_DECOMPOSE_PLANE_CHOICE_H
#define RBL_FIELD_DECOMPOSE_PLANE_CHOICE_H

#include "base/jobs.h"
#include "field/decompose/solid_part.h"

// A concave edge of the solid.
typedef struct rblConcaveEdge
{
    rblVec3d from, to;
    rblVec3d normals[2]; // of the faces beside it, unit
    double strength;     // m, length times the sine of the angle
} rblConcaveEdge;
typedef RBL_ARRAY(rblConcaveEdge) rblConcaveEdges;

// The concave edges of a mesh of triangles around `center`, strongest first.
rblResult rbl_find_concave_edges(const rblMeshView* mesh, rblVec3d center, rblConcaveEdges* out);

typedef struct rblPlaneChoice
{
    const rblSolidPart* part; // with its points
    const rblConcaveEdges* edges;
    uint32_t resolution;
    uint64_t seed;
    double snap; // m; points closer to a plane are in it
    rblJobs* jobs;
    const rblAllocator* allocator;
} rblPlaneChoice;

// `found`: whether there is a plane with something on both sides.
rblResult rbl_choose_plane(const rblPlaneChoice* choice, rblCutPlane* out, bool* found);

#endif
