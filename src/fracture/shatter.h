// A mesh broken by a pattern, outside of any simulation.
#ifndef RBL_FRACTURE_SHATTER_H
#define RBL_FRACTURE_SHATTER_H

#include "cut/pieces/pieces.h"
#include "rubble/pattern.h"

typedef struct rblShatterDef
{
    rblPatternDef pattern;
    rblVec3d point;  // of the impact, in the mesh's axes
    rblVec3d normal; // into the body, any length but zero
    // Crumbs that are merged: smaller than this part of an even share of the volume, thinner than this part
    // of the body's own thickness (volume by half the area).
    double smallest_part;
    double thinnest_part;
} rblShatterDef;

// Crumbs below 0.01, a default pattern at the origin, straight down.
rblShatterDef rbl_default_shatter_def(void);

// Where a mesh is hit. A point outside of it goes to the nearest one on its surface, `moved` (may be null)
// tells how far; null: the top of the mesh above its middle. Null normal: against that of the surface nearest
// to the point. Refused: a point that is not finite, a normal that is not or has no length.
rblResult rbl_shatter_place(rblMeshId mesh, const rblVec3d* point, const rblVec3d* normal, rblShatterDef* def,
                            double* moved);

// The mesh must be closed, manifold and oriented outward. Refused: a pattern that rbl_pattern_check()
// refuses, a point that is not finite, a normal of no length.
rblResult rbl_shatter_mesh(rblMeshId mesh, const rblShatterDef* def, rblJobs* jobs,
                           const rblAllocator* allocator, rblPieces** out);

// A mesh that is broken many times: what every break of it needs. The mesh must stay until it is closed.
typedef struct rblShatterBody
{
    rblMeshId mesh;
    rblBvhId bvh;
    double volume, area;
    rblVec3d* points;  // inside, each beginning of the list evenly spread; in the mesh's axes
    uint32_t* numbers; // of the points: by which try they were found
    uint32_t point_count, point_capacity;
    const rblAllocator* allocator;
} rblShatterBody;

// With points for patterns of up to `pieces`, at least 1. How many there are beyond those that a break needs changes nothing of it.
rblResult rbl_shatter_body_open(rblMeshId mesh, uint32_t pieces, const rblAllocator* allocator,
                                rblShatterBody* out);
void rbl_shatter_body_close(rblShatterBody* body);

// As rbl_shatter_mesh() of its mesh. May be called from several threads at once.
rblResult rbl_shatter_prepared(const rblShatterBody* body, const rblShatterDef* def, rblJobs* jobs,
                               const rblAllocator* allocator, rblPieces** out);

#endif
