// Noise in space: random values at the points of a cubic lattice of size 1, blended smoothly between them (value noise, Perlin
// 1985 in spirit). Depends on the place alone.
#ifndef RBL_MATH_NOISE_H
#define RBL_MATH_NOISE_H

#include "rubble/math.h"

// -1 to 1; 0 where digits are wider than the lattice.
double rbl_noise3d(rblVec3d point);

#endif
