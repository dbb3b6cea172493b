// Morton codes: the bits of three grid coordinates interleaved, so that nearby cells get nearby numbers. In
// each group of three bits x comes first, then y, then z.
#ifndef RBL_MATH_MORTON_H
#define RBL_MATH_MORTON_H

#include "rubble/math.h"
#include <stdint.h>

// The code of a cell whose coordinates have 21 bits each. Higher bits are ignored.
uint64_t rbl_morton63(uint32_t x, uint32_t y, uint32_t z);

// The code of a point in a grid of 2^21 cells per axis over a box. A point outside the box gets the nearest
// cell, NaN the first cell. Along an axis on which the box has no extent every point gets the first cell; so it does
// in a box that is empty or not finite.
uint64_t rbl_morton63_of(rblVec3d point, rblAabbd box);

#endif
