#ifndef RBL_BENCH_BENCH_NOISE_H
#define RBL_BENCH_BENCH_NOISE_H

#include "rubble/math.h"
#include <stdint.h>

// Smooth value noise between -1 and 1: octaves of random values on the integer lattice, each twice as fine and half as
// strong as the one before. Values and their slopes are continuous.
double rbl_bench_noise(rblVec3d at, uint32_t octaves, uint64_t seed);

#endif
