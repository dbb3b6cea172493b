// Seeded random numbers: PCG32 (O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
// Algorithms for Random Number Generation", XSH-RR variant). The generator is passed by pointer; there is no other
// source of randomness.
#ifndef RBL_BASE_RANDOM_H
#define RBL_BASE_RANDOM_H

#include <stdint.h>

typedef struct rblRandom
{
    uint64_t state;
    uint64_t increment; // odd; chooses one of 2^63 streams
} rblRandom;

// The same seed and stream give the same numbers. Different streams of one seed are independent.
rblRandom rbl_random_seed(uint64_t seed, uint64_t stream);

uint32_t rbl_random_u32(rblRandom* random);
uint64_t rbl_random_u64(rblRandom* random);

// Uniform in 0 .. bound - 1 without bias; bound > 0.
uint32_t rbl_random_below(rblRandom* random, uint32_t bound);

// Uniform in [0, 1), 24 and 53 bits.
float rbl_random_float(rblRandom* random);
double rbl_random_double(rblRandom* random);

// Uniform in [low, high]; `high` only by rounding.
double rbl_random_range(rblRandom* random, double low, double high);

#endif
