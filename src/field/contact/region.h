// Regions of space: unions of convex cells, each where all its half spaces meet. What a pattern leaves of a shape lies in one.
#ifndef RBL_FIELD_CONTACT_REGION_H
#define RBL_FIELD_CONTACT_REGION_H

#include "base/memory.h"
#include "rubble/math.h"
#include "rubble/result.h"
#include <stdbool.h>
#include <stdint.h>

// Inside: normal . x <= offset.
typedef struct rblHalfSpace
{
    rblVec3 normal; // unit
    float offset;
    bool
        inner; // no face of the region lies in its plane: another cell goes on behind it, or there is nothing to cut
} rblHalfSpace;

typedef struct rblRegionDef
{
    const rblHalfSpace* planes;
    const uint32_t* starts; // cell_count + 1: planes of cell c are starts[c] .. starts[c + 1] - 1
    const rblAabb* boxes;   // of the cells, or of what is in them; may be null for one cell
    uint32_t cell_count;
} rblRegionDef;

// Planes in blocks of four lanes, the last block of a cell filled up with copies of its last plane. One block of memory.
typedef struct rblRegion
{
    uint32_t cell_count;
    uint32_t block_count;
    uint32_t* starts; // cell_count + 1, in blocks
    rblAabb* boxes;   // per cell; beyond its box nothing of a cell is
    rblAabb* groups;  // around every RBL_REGION_GROUP cells
    float*
        blocks; // per block: four x, y, z of the normals, four offsets, four of 0 (an outer face) or infinity
    size_t bytes;
} rblRegion;

#define RBL_REGION_BLOCK 20u // floats
#define RBL_REGION_GROUP 8u  // cells

rblResult rbl_region_create(const rblRegionDef* def, const rblAllocator* allocator, rblRegion** out);
void rbl_region_free(rblRegion* region, const rblAllocator* allocator);

// Negative inside. Outside, and inside a region of several cells, a bound: never farther from zero than the distance. Inside
// one cell it is exact.
float rbl_region_distance(const rblRegion* region, rblVec3 point);

// The same with the direction in which it grows: the normal of a plane, or outside, where two planes of a cell meet, the way
// from their line. There the value is the distance of that line, and larger than that of rbl_region_distance().
float rbl_region_nearest(const rblRegion* region, rblVec3 point, rblVec3* gradient);

// Where both hold, as far as it lies in `box`; what does not matter there is left out. `tolerance` is a length that counts as
// none: planes that do not come as near as that to the box decide nothing in it.
typedef struct rblRegionProduct
{
    const rblRegion* a; // null: everything
    const rblRegionDef* b;
    rblAabb box;
    float tolerance;
} rblRegionProduct;

rblResult rbl_region_multiply(const rblRegionProduct* product, const rblAllocator* allocator,
                              rblRegion** out);

// Plane i of cell c as it was given; i below rbl_region_plane_count().
uint32_t rbl_region_plane_count(const rblRegion* region, uint32_t cell);
rblHalfSpace rbl_region_plane(const rblRegion* region, uint32_t cell, uint32_t i);

#endif
