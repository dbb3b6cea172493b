// Signed distances on a sparse grid: bricks of 4 x 4 x 4 cells near the surface, one value per brick corner elsewhere.
//
// Near the surface (in a stored brick) the field is the trilinear interpolant of exact distances in 16 bits; every point
// within `band` of the surface lies in such a brick. Farther off, values come from the bricks' corners alone and are
// made into bounds: never farther from zero than the distance. Signs are right everywhere but within `error` of the surface.
#ifndef RBL_FIELD_LEVEL_SET_LEVEL_SET_H
#define RBL_FIELD_LEVEL_SET_LEVEL_SET_H

#include "base/jobs.h"
#include "math/simd.h"
#include "mesh/mesh.h"
#include "rubble/shape.h"

#define RBL_BRICK_CELLS 4u
#define RBL_BRICK_POINTS                                                                                     \
    5u // per side: neighbours hold their common points twice, so that a look-up stays in one brick
#define RBL_BRICK_STRIDE 128u // values per brick, 125 of them used: 256 bytes
#define RBL_NO_BRICK     UINT32_MAX

typedef struct rblLevelSet
{
    rblVec3 origin;
    float cell;         // metres
    float inverse_cell; // 1 / cell
    uint32_t bricks[3]; // per axis
    float band;         // metres: two cells
    float unit;         // metres per step of a stored value
    uint32_t* slots;    // per brick, x fastest: which block of values, RBL_NO_BRICK for none
    float*
        corners; // per brick corner, (bricks[0] + 1) (bricks[1] + 1) (bricks[2] + 1), x fastest: exact distance
    int16_t* values; // RBL_BRICK_STRIDE per stored brick: point (i, j, k) of it at i + 5 j + 25 k
    uint32_t stored; // bricks
    float deepest;   // radius of a ball in the solid, about the largest there is
    float error;     // largest |field| found at points of the surface, spaced half a cell
    float
        thin_share; // share of these below which one cell down there is no inside: features too thin for the cells
    size_t bytes; // of this struct and its arrays
    const rblAllocator* allocator;
} rblLevelSet;

// Signed distance and its gradient, of unit length. Outside the grid a bound continues the field.
float rbl_level_set_distance(const rblLevelSet* set, rblVec3 point, rblVec3* gradient);

// The same value, bit by bit, without the gradient. `far`: it is a bound, not interpolated near the surface.
float rbl_level_set_distance_only(const rblLevelSet* set, rblVec3 point, bool* far);

// The same for four points; a bit of `far` for each.
rblFloat4 rbl_level_set_distance4(const rblLevelSet* set, rblFloat4 x, rblFloat4 y, rblFloat4 z,
                                  uint32_t* far);

// What interpolation can be off by anywhere: the distance changes by at most the way, and the mean way from a point to the
// corners of its cell, by their weights, is at most sqrt(3) / 2 cells.
static inline float rbl_level_set_slack(const rblLevelSet* set)
{
    return 0.867f * set->cell;
}

// ---- as a grid, for those who make other fields of it ----

static inline uint32_t rbl_level_set_brick(const rblLevelSet* set, uint32_t i, uint32_t j, uint32_t k)
{
    return i + set->bricks[0] * (j + set->bricks[1] * k);
}

// ---- building ----

// From a closed, oriented surface of positive volume with cells of the given size. Error and thin_share are not set.
rblResult rbl_level_set_build(const rblMeshView* view, double cell, rblJobs* jobs,
                              const rblAllocator* allocator, rblLevelSet** out);

// Fill in `error` and `thin_share`.
rblResult rbl_level_set_measure(rblLevelSet* set, const rblMeshView* view, rblJobs* jobs);

void rbl_level_set_free(rblLevelSet* set);

// Whether it is a level set that rbl_shape_create_level_set() would make again from its surface and this def, but for the samples.
bool rbl_level_set_is_made_by(const rblShape* shape, const rblLevelSetDef* def);

// The same level set with other samples, so far apart (0: as in rblLevelSetDef): it shares grid and surface with the one given.
rblResult rbl_level_set_resample(const rblShape* shape, float sample_spacing, rblShapeId* out);

#endif
