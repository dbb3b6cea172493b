// Exact predicate of the cut: the sign of f_b - f_a at an implicit point.
#ifndef RBL_CUT_PIECES_PIECES_SIDE_H
#define RBL_CUT_PIECES_PIECES_SIDE_H

#include "cut/cells/cells.h"

// A point given by what meets there: a vertex of the surface; an edge of the surface and the facet of two cells; or a
// triangle of the surface and the edge of three cells.
typedef struct rblImplicitPoint
{
    uint32_t corner_count; // 1, 2 or 3
    rblVec3d corners[3];   // of the vertex, edge or triangle, in the axes of the cells
    uint32_t cells[3];     // `corner_count` cells whose f are equal at the point
} rblImplicitPoint;

// Exact sign of f_b - f_a at the point. 0 is a tie, which the cut does not allow. The point must exist: within the edge
// or the triangle.
int rbl_implicit_side(const rblCells* cells, const rblImplicitPoint* point, uint32_t a, uint32_t b);

#endif
