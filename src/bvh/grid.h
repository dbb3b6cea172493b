// The grid on which builds compare centroids.
#ifndef RBL_BVH_GRID_H
#define RBL_BVH_GRID_H

#include "bvh/leaves.h"

typedef struct rblGrid
{
    rblFloat4 origin[3]; // per axis, in all lanes: twice the lower corner
    rblFloat4 scale;     // grid steps per unit of twice the centroid
    rblFloat4 highest;
} rblGrid;

// Four cells, axis by axis.
typedef struct rblCells4
{
    rblInt4 axis[3];
} rblCells4;

// 2^axis_bits steps along the longest side. One scale for all axes, so that "longest" means the same in steps.
rblGrid rbl_grid_over(rblAabb bounds, uint32_t axis_bits);

static inline rblFloat4 rbl_twice_centroid(const rblTriangleSpan* span, uint32_t triangle)
{
    rblLeafTriangle corners;
    const rblBox4 box = rbl_span_triangle(span, triangle, &corners);
    return rbl_add4(box.lower, box.upper);
}

static inline rblInt4 rbl_grid_steps(const rblGrid* grid, rblFloat4 twice, uint32_t axis)
{
    // Never below zero, because rounding is monotonic. At the upper end rounding can reach the last step, so clamp.
    const rblFloat4 steps = rbl_mul4(rbl_sub4(twice, grid->origin[axis]), grid->scale);
    return rbl_truncate4(rbl_min4(steps, grid->highest));
}

// The cells of triangles t[0] .. t[3], which may be equal.
static inline rblCells4 rbl_grid_cells(const rblGrid* grid, const rblTriangleSpan* span, const uint32_t t[4])
{
    rblFloat4 x = rbl_twice_centroid(span, t[0]);
    rblFloat4 y = rbl_twice_centroid(span, t[1]);
    rblFloat4 z = rbl_twice_centroid(span, t[2]);
    rblFloat4 w = rbl_twice_centroid(span, t[3]);
    rbl_transpose4(&x, &y, &z, &w);
    return (rblCells4){{rbl_grid_steps(grid, x, 0), rbl_grid_steps(grid, y, 1), rbl_grid_steps(grid, z, 2)}};
}

#endif
