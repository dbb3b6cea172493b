// Sample points of pictures: the first two dimensions of the Sobol sequence, Owen-scrambled by hashing (Burley 2020, "Practical
// Hash-based Owen Scrambling"), assigned to pixels along a Z curve (Ahmed and Wonka 2020, "Screen-Space Blue-Noise Diffusion of
// Monte Carlo Sampling Error via Hierarchical Ordering of Pixels"). Neighbouring pixels get neighbouring sections of one
// sequence, so that their errors compensate each other and the remaining noise is fine-grained.
#ifndef RBL_SCENE_PICTURE_PICTURE_SAMPLER_H
#define RBL_SCENE_PICTURE_PICTURE_SAMPLER_H

#include "rubble/math.h"
#include <stdint.h>

typedef struct rblPixelSampler
{
    uint32_t first; // index of the pixel's first sample
    uint32_t seed;
} rblPixelSampler;

static inline uint32_t rbl_mix32(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

static inline uint32_t rbl_reverse_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    x = (x >> 8 & 0x00FF00FFu) | (x & 0x00FF00FFu) << 8;
    return x >> 16 | x << 16;
}

// A permutation in which every bit depends only on itself and the lower ones (Laine and Karras 2011; the constants are
// Burley's): between two bit reversals it is an Owen scramble.
static inline uint32_t rbl_low_to_high_permutation(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6C50B47Cu;
    x ^= x * 0xB82F1E52u;
    x ^= x * 0xC7AFE638u;
    x ^= x * 0x8D22F6E6u;
    return x;
}

// Generator matrix of the second Sobol dimension: Pascal's triangle mod 2, computed by halves. Bit j of the result is the sum
// of the bits k with C(k, j) odd.
static inline uint32_t rbl_pascal_matrix(uint32_t x)
{
    x ^= (x & 0xFFFF0000u) >> 16;
    x ^= (x & 0xFF00FF00u) >> 8;
    x ^= (x & 0xF0F0F0F0u) >> 4;
    x ^= (x & 0xCCCCCCCCu) >> 2;
    x ^= (x & 0xAAAAAAAAu) >> 1;
    return x;
}

static inline uint32_t rbl_spread_bits(uint32_t x)
{
    x = (x | x << 4) & 0x0F0Fu;
    x = (x | x << 2) & 0x3333u;
    return (x | x << 1) & 0x5555u;
}

// Pixels share a sequence in blocks of 256 x 256, with one seed per block.
static inline rblPixelSampler rbl_pixel_sampler(uint32_t x, uint32_t y, uint32_t samples, uint32_t seed)
{
    const uint32_t curve = rbl_spread_bits(x & 255u) | rbl_spread_bits(y & 255u) << 1;
    const uint32_t block = (x >> 8) + (y >> 8) * 256u;
    return (rblPixelSampler){curve * samples, rbl_mix32(seed ^ rbl_mix32(block + 0x9E3779B9u))};
}

// A point in the unit square for a sample of the pixel. `purpose` selects the pair of dimensions.
static inline rblVec2 rbl_sample_square(const rblPixelSampler* pixel, uint32_t sample, uint32_t purpose)
{
    const uint32_t seed = rbl_mix32(pixel->seed + 0x68BC21EBu * (purpose + 1));
    const uint32_t index = rbl_reverse_bits(
        rbl_low_to_high_permutation(rbl_reverse_bits(pixel->first + sample), rbl_mix32(seed)));
    const uint32_t x = rbl_reverse_bits(rbl_low_to_high_permutation(index, seed ^ 0x02E5BE93u));
    const uint32_t y =
        rbl_reverse_bits(rbl_low_to_high_permutation(rbl_pascal_matrix(index), seed ^ 0x967A889Bu));
    return (rblVec2){(float)(x >> 8) * 0x1p-24f, (float)(y >> 8) * 0x1p-24f};
}

#endif
