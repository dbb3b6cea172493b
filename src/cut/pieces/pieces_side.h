// Exact decisions of the cut: which of two cells is nearer at a point that has a name.
#ifndef RBL_CUT_PIECES_PIECES_SIDE_H
#define RBL_CUT_PIECES_PIECES_SIDE_H

#include "cut/cells/cells.h"

// A vertex of the surface; where an edge of it meets the facet of two cells; or where a triangle of it meets
// the edge of three.
typedef struct rblNamedPoint
{
    uint32_t corner_count; // 1, 2 or 3
    rblVec3d corners[3];   // of the vertex, edge or triangle, in the cells' axes
    uint32_t cells[3];     // `corner_count` cells whose f are equal there
} rblNamedPoint;

// Sign of f_b - f_a there, exact. 0: b is just as near as a, which the cut does not allow. The point must
// exist: not on the line beyond the edge, nor in the plane beside the triangle.
int rbl_named_side(const rblCells* cells, const rblNamedPoint* point, uint32_t a, uint32_t b);

#endif
