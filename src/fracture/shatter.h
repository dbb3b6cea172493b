// A mesh broken by a pattern, outside of any simulation.
#ifndef RBL_FRACTURE_SHATTER_H
#define RBL_FRACTURE_SHATTER_H

#include "cut/pieces/pieces.h"
#include "rubble/shatter.h"

// A definition of the caller, completed; null: the defaults.
rblResult rbl_shatter_read_def(const rblShatterDef* given, rblShatterDef* out);

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
