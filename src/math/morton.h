// Morton codes: the bits of three grid coordinates interleaved, so that nearby cells get nearby numbers. In
// each group of three bits x comes first, then y, then z.
#ifndef RBL_MATH_MORTON_H
#define RBL_MATH_MORTON_H

#include "rubble/math.h"
#include <stdint.h>

typedef struct rblMortonCell
{
    uint32_t x, y, z;
} rblMortonCell;

// Coordinates of 10 bits to a code of 30, of 21 bits to one of 63. Higher bits are ignored.
uint32_t rbl_morton30(uint32_t x, uint32_t y, uint32_t z);
uint64_t rbl_morton63(uint32_t x, uint32_t y, uint32_t z);
rblMortonCell rbl_morton30_decode(uint32_t code);
rblMortonCell rbl_morton63_decode(uint64_t code);

// The code of a point in a grid of 2^10 or 2^21 cells per axis laid over a box. Points outside get the
// nearest cell, NaN the first; along an axis on which the box has no extent every point gets the first cell,
// as it does in a box that is empty or not finite.
uint32_t rbl_morton30_of(rblVec3 point, rblAabb box);
uint64_t rbl_morton63_of(rblVec3d point, rblAabbd box);

#endif
