// The parts of a double, without libm.
#ifndef RBL_MATH_FLOAT_BITS_H
#define RBL_MATH_FLOAT_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t rbl_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double rbl_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool rbl_sign_bit(double x)
{
    return rbl_bits_of(x) >> 63 != 0;
}

// 2^exponent, -1022 <= exponent <= 1023.
static inline double rbl_power_of_two(int exponent)
{
    return rbl_from_bits((uint64_t)(exponent + 1023) << 52);
}

// x * 2^exponent with one rounding at most, also where the result is subnormal; |exponent| <= 2000.
static inline double rbl_scaled(double x, int exponent)
{
    if (exponent > 1000)
    {
        return x * 0x1p1000 * rbl_power_of_two(exponent - 1000);
    }
    if (exponent < -1000)
    {
        return x * rbl_power_of_two(exponent + 1000) * 0x1p-1000;
    }
    return x * rbl_power_of_two(exponent);
}

// |x| with the sign bit of `sign`; works for NaN, infinities and -0.
static inline double rbl_with_sign(double x, double sign)
{
    const uint64_t mask = UINT64_C(1) << 63;
    return rbl_from_bits((rbl_bits_of(x) & ~mask) | (rbl_bits_of(sign) & mask));
}

// x = m * 2^*exponent with 1 <= m < 2, for finite x > 0, subnormals included.
static inline double rbl_split_exponent(double x, int* exponent)
{
    int shift = 0;
    if (x < 0x1p-1022)
    {
        x *= 0x1p54;
        shift = 54;
    }
    const uint64_t bits = rbl_bits_of(x);
    *exponent = (int)(bits >> 52) - 1023 - shift;
    return rbl_from_bits((bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u);
}

#endif
