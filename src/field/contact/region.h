// Regions of space: unions of convex cells. A cell is the intersection of half spaces. A piece is the part of a shape
// inside a region.
#ifndef RBL_FIELD_CONTACT_REGION_H
#define RBL_FIELD_CONTACT_REGION_H

#include "base/memory.h"
#include "rubble/math.h"
#include "rubble/result.h"
#include <stdbool.h>
#include <stdint.h>

// Points inside: normal . x <= offset.
typedef struct rblHalfSpace
{
    rblVec3 normal; // unit
    float offset;
    // Whether no face of the region is in its plane: another cell continues behind it, or the plane cuts nothing.
    bool inner;
} rblHalfSpace;

typedef struct rblRegionDef
{
    const rblHalfSpace* planes;
    const uint32_t* starts; // cell_count + 1; planes of cell c are starts[c] .. starts[c + 1] - 1
    const rblAabb* boxes;   // of the cells, or of the parts of shapes in them; may be null for one cell
    uint32_t cell_count;
} rblRegionDef;

// Planes in blocks of four lanes; the last block of a cell is padded with copies of its last plane. A region is one
// block of memory.
typedef struct rblRegion
{
    uint32_t cell_count;
    uint32_t block_count;
    uint32_t* starts; // cell_count + 1, index of the first block of each cell
    rblAabb* boxes;   // per cell: box outside which the cell is ignored
    rblAabb* groups;  // boxes of every RBL_REGION_GROUP cells
    // Per block: four x, y, z of the normals, four offsets, four of 0 (outer face) or infinity (inner).
    float* blocks;
    size_t bytes;
} rblRegion;

#define RBL_REGION_BLOCK 20u // floats
#define RBL_REGION_GROUP 8u  // cells

rblResult rbl_region_create(const rblRegionDef* def, const rblAllocator* allocator, rblRegion** out);
void rbl_region_free(rblRegion* region, const rblAllocator* allocator);

// Negative inside. Exact inside a region of one cell; else a bound whose absolute value is at most the distance.
float rbl_region_distance(const rblRegion* region, rblVec3 point);

// The same with its gradient: the normal of a plane; or outside, near the common line of two planes of a cell, the
// direction from that line. There the value is the distance from the line, which is larger than rbl_region_distance().
float rbl_region_nearest(const rblRegion* region, rblVec3 point, rblVec3* gradient);

// The intersection of two regions inside `box`. Planes that do not come closer to the box than `tolerance` (m) are
// omitted.
typedef struct rblRegionProduct
{
    const rblRegion* a; // null: the whole space
    const rblRegionDef* b;
    rblAabb box;
    float tolerance;
} rblRegionProduct;

rblResult rbl_region_multiply(const rblRegionProduct* product, const rblAllocator* allocator,
                              rblRegion** out);

// Plane i of cell c as in the definition; i is below rbl_region_plane_count().
uint32_t rbl_region_plane_count(const rblRegion* region, uint32_t cell);
rblHalfSpace rbl_region_plane(const rblRegion* region, uint32_t cell, uint32_t i);

#endif
