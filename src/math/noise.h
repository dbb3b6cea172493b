// Value noise: random values at the points of a cubic lattice of size 1, interpolated smoothly (after Perlin 1985). It
// depends only on the position.
#ifndef RBL_MATH_NOISE_H
#define RBL_MATH_NOISE_H

#include "rubble/math.h"

// -1 to 1; 0 where the spacing of doubles is larger than the lattice.
double rbl_noise3d(rblVec3d point);

#endif
