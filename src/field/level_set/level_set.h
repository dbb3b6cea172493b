// Signed distances on a sparse grid: bricks of 4 x 4 x 4 cells near the surface, one value per brick corner elsewhere.
//
// Near the surface (in a stored brick) the field is the trilinear interpolant of exact distances in 16 bits. Every
// point within `band` of the surface is in such a brick. Farther away, only values at the corners of bricks are stored,
// and the result is a bound whose absolute value is at most the distance. The sign is right everywhere except within
// `error` of the surface.
#ifndef RBL_FIELD_LEVEL_SET_LEVEL_SET_H
#define RBL_FIELD_LEVEL_SET_LEVEL_SET_H

#include "base/jobs.h"
#include "math/simd.h"
#include "mesh/mesh.h"
#include "rubble/shape.h"

#define RBL_BRICK_CELLS 4u
// Points per side; neighbours store their common points twice, so that an evaluation reads one brick.
#define RBL_BRICK_POINTS 5u
#define RBL_BRICK_STRIDE 128u // values per brick, 125 of them used: 256 bytes
#define RBL_NO_BRICK     UINT32_MAX

typedef struct rblLevelSet
{
    rblVec3 origin;
    float cell;         // metres
    float inverse_cell; // 1 / cell
    uint32_t bricks[3]; // per axis
    float band;         // m, two cells
    float unit;         // m per step of a stored value
    uint32_t* slots;    // per brick, x fastest: index of its block of values; RBL_NO_BRICK: none
    // Per brick corner, (bricks[0] + 1) (bricks[1] + 1) (bricks[2] + 1), x fastest: exact distance, m.
    float* corners;
    int16_t* values; // RBL_BRICK_STRIDE per stored brick: point (i, j, k) of it at i + 5 j + 25 k
    uint32_t stored; // number of stored bricks
    float deepest;   // m, radius of about the largest inner ball
    float error;     // m, largest |field| at points of the surface, half a cell apart
    // Fraction of these points for which the field one cell below is not negative: features too thin for the cells.
    float thin_share;
    size_t bytes; // of this struct and its arrays
    const rblAllocator* allocator;
} rblLevelSet;

// Signed distance and its unit gradient. Outside the grid the value is a bound.
float rbl_level_set_distance(const rblLevelSet* set, rblVec3 point, rblVec3* gradient);

// The same value, bit for bit, without the gradient. `far`: the value is a bound and not interpolated near the surface.
float rbl_level_set_distance_only(const rblLevelSet* set, rblVec3 point, bool* far);

// The same for four points; `far` has a bit for each.
rblFloat4 rbl_level_set_distance4(const rblLevelSet* set, rblFloat4 x, rblFloat4 y, rblFloat4 z,
                                  uint32_t* far);

// Bound of the interpolation error: the distance changes by at most the length of the path, and the mean distance from
// a point to the corners of its cell, with their weights, is at most sqrt(3) / 2 cells.
static inline float rbl_level_set_slack(const rblLevelSet* set)
{
    return 0.867f * set->cell;
}

// ---- access to the grid, for the creation of other fields ----

static inline uint32_t rbl_level_set_brick(const rblLevelSet* set, uint32_t i, uint32_t j, uint32_t k)
{
    return i + set->bricks[0] * (j + set->bricks[1] * k);
}

// ---- building ----

// From a closed, oriented surface of positive volume, with cells of the given size. `error` and `thin_share` are not
// set.
rblResult rbl_level_set_build(const rblMeshView* view, double cell, rblJobs* jobs,
                              const rblAllocator* allocator, rblLevelSet** out);

// Computes `error` and `thin_share`.
rblResult rbl_level_set_measure(rblLevelSet* set, const rblMeshView* view, rblJobs* jobs);

void rbl_level_set_free(rblLevelSet* set);

// Whether rbl_shape_create_level_set() would create the same level set from its surface and this definition, except for
// the samples.
bool rbl_level_set_is_made_by(const rblShape* shape, const rblLevelSetDef* def);

// The same level set with other samples at a given spacing (0: as in rblLevelSetDef). It shares grid and surface with
// the given shape.
rblResult rbl_level_set_resample(const rblShape* shape, float sample_spacing, rblShapeId* out);

#endif
