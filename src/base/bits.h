// Bit counting, with the same result with and without compiler built-ins.
#ifndef RBL_BASE_BITS_H
#define RBL_BASE_BITS_H

#include <stdint.h>

// (The built-in is a library call on processors without the instruction.)
static inline uint32_t rbl_popcount32(uint32_t x)
{
#if defined(__POPCNT__) || defined(__wasm__) || defined(__aarch64__)
    return (uint32_t)__builtin_popcount(x);
#else
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24;
#endif
}

// Floor of the binary logarithm; x > 0.
static inline uint32_t rbl_floor_log2(uint32_t x)
{
#if defined(__GNUC__)
    return 31u - (uint32_t)__builtin_clz(x);
#else
    uint32_t log = 0;
    for (uint32_t shift = 16; shift > 0; shift >>= 1)
    {
        if (x >> shift != 0)
        {
            x >>= shift;
            log += shift;
        }
    }
    return log;
#endif
}

// The index of the lowest set bit; x > 0.
static inline uint32_t rbl_lowest_bit(uint32_t x)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(x);
#else
    return rbl_floor_log2(x & (0u - x));
#endif
}

// Ceiling of the binary logarithm; x > 0.
static inline uint32_t rbl_ceil_log2(uint32_t x)
{
    return x > 1 ? rbl_floor_log2(x - 1) + 1 : 0;
}

#endif
