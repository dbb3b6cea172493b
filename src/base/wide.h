// 64 x 64 -> 128 bit multiplication.
#ifndef RBL_BASE_WIDE_H
#define RBL_BASE_WIDE_H

#include <stdint.h>

typedef struct rblU128
{
    uint64_t high, low;
} rblU128;

static inline rblU128 rbl_multiply_wide(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide; // one instruction; the same bits as below
    const Wide product = (Wide)a * b;
    return (rblU128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    const uint64_t a0 = a & 0xFFFFFFFFu;
    const uint64_t a1 = a >> 32;
    const uint64_t b0 = b & 0xFFFFFFFFu;
    const uint64_t b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t middle = a1 * b0 + (low >> 32);
    const uint64_t cross = a0 * b1 + (middle & 0xFFFFFFFFu);
    return (rblU128){a1 * b1 + (middle >> 32) + (cross >> 32), cross << 32 | (low & 0xFFFFFFFFu)};
#endif
}

// Zero bits above the highest set one; x > 0.
static inline uint32_t rbl_leading_zeros(uint64_t x)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_clzll(x);
#else
    uint32_t zeros = 0;
    for (uint32_t width = 32; width > 0; width /= 2)
    {
        if (x >> (64 - width) == 0)
        {
            zeros += width;
            x <<= width;
        }
    }
    return zeros;
#endif
}

// Zero bits below the lowest set one; x > 0.
static inline uint32_t rbl_trailing_zeros(uint64_t x)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(x);
#else
    return 63 - rbl_leading_zeros(x & (~x + 1));
#endif
}

#endif
