#include "math/big_integer.h"

#include "base/assert.h"
#include <float.h>
#include <stddef.h>
#include <string.h>

// Bits of a limb: products of two limbs and carries fit in 64 bits.
#define LIMB_BITS 32

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t* take_limbs(rblBigSpace* space, int count)
{
    RBL_ASSERT(count <= space->capacity - space->used);
    uint32_t* limbs = space->limbs + space->used;
    space->used += count;
    return limbs;
}

static rblBigInteger trimmed(const uint32_t* limbs, int length, int sign)
{
    while (length > 0 && limbs[length - 1] == 0)
    {
        --length;
    }
    return (rblBigInteger){limbs, length, length > 0 ? sign : 0};
}

int rbl_big_exponent(double x)
{
    const int biased = (int)(bits_of(x) >> 52 & 0x7FF);
    return (biased > 0 ? biased : 1) - 1075;
}

rblBigInteger rbl_big_from_double(rblBigSpace* space, double x, int exponent)
{
    if (x == 0.0)
    {
        return (rblBigInteger){NULL, 0, 0};
    }
    const uint64_t bits = bits_of(x);
    const uint64_t fraction = bits & 0xFFFFFFFFFFFFFu;
    const uint64_t mantissa = (bits >> 52 & 0x7FF) != 0 ? fraction | 0x10000000000000u : fraction;
    const int shift = rbl_big_exponent(x) - exponent;
    RBL_ASSERT(shift >= 0);

    const int zeros = shift / LIMB_BITS;
    const int part = shift % LIMB_BITS;
    uint32_t* limbs = take_limbs(space, zeros + 3);
    memset(limbs, 0, sizeof *limbs * (size_t)zeros);
    const uint64_t low = (mantissa & UINT32_MAX) << part;
    const uint64_t high = (mantissa >> LIMB_BITS) << part;
    const uint64_t middle = (low >> LIMB_BITS) + (high & UINT32_MAX);
    limbs[zeros] = (uint32_t)low;
    limbs[zeros + 1] = (uint32_t)middle;
    limbs[zeros + 2] = (uint32_t)((high >> LIMB_BITS) + (middle >> LIMB_BITS));
    return trimmed(limbs, zeros + 3, x > 0.0 ? 1 : -1);
}

rblBigInteger rbl_big_copy(rblBigSpace* space, rblBigInteger a)
{
    uint32_t* limbs = take_limbs(space, a.length);
    for (int i = 0; i < a.length; ++i)
    {
        limbs[i] = a.limbs[i];
    }
    return (rblBigInteger){limbs, a.length, a.sign};
}

static int compare_magnitudes(rblBigInteger a, rblBigInteger b)
{
    if (a.length != b.length)
    {
        return a.length < b.length ? -1 : 1;
    }
    for (int i = a.length - 1; i >= 0; --i)
    {
        if (a.limbs[i] != b.limbs[i])
        {
            return a.limbs[i] < b.limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

// |longer| + |shorter|
static rblBigInteger add_magnitudes(rblBigSpace* space, rblBigInteger longer, rblBigInteger shorter, int sign)
{
    uint32_t* limbs = take_limbs(space, longer.length + 1);
    uint64_t carry = 0;
    for (int i = 0; i < longer.length; ++i)
    {
        carry += (uint64_t)longer.limbs[i] + (i < shorter.length ? shorter.limbs[i] : 0);
        limbs[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    limbs[longer.length] = (uint32_t)carry;
    return trimmed(limbs, longer.length + 1, sign);
}

// |larger| - |smaller|
static rblBigInteger subtract_magnitudes(rblBigSpace* space, rblBigInteger larger, rblBigInteger smaller,
                                         int sign)
{
    uint32_t* limbs = take_limbs(space, larger.length);
    uint64_t borrow = 0;
    for (int i = 0; i < larger.length; ++i)
    {
        const uint64_t minus = (i < smaller.length ? smaller.limbs[i] : 0) + borrow;
        limbs[i] = (uint32_t)(larger.limbs[i] - minus);
        borrow = larger.limbs[i] < minus;
    }
    return trimmed(limbs, larger.length, sign);
}

rblBigInteger rbl_big_add(rblBigSpace* space, rblBigInteger a, rblBigInteger b)
{
    if (a.sign == 0 || b.sign == 0)
    {
        return a.sign == 0 ? b : a;
    }
    if (a.sign == b.sign)
    {
        return a.length >= b.length ? add_magnitudes(space, a, b, a.sign)
                                    : add_magnitudes(space, b, a, a.sign);
    }
    return compare_magnitudes(a, b) >= 0 ? subtract_magnitudes(space, a, b, a.sign)
                                         : subtract_magnitudes(space, b, a, b.sign);
}

rblBigInteger rbl_big_subtract(rblBigSpace* space, rblBigInteger a, rblBigInteger b)
{
    b.sign = -b.sign;
    return rbl_big_add(space, a, b);
}

rblBigInteger rbl_big_multiply(rblBigSpace* space, rblBigInteger a, rblBigInteger b)
{
    if (a.sign == 0 || b.sign == 0)
    {
        return (rblBigInteger){NULL, 0, 0};
    }
    uint32_t* limbs = take_limbs(space, a.length + b.length);
    memset(limbs, 0, sizeof *limbs * (size_t)b.length);
    for (int i = 0; i < a.length; ++i)
    {
        uint64_t carry = 0;
        for (int j = 0; j < b.length; ++j)
        {
            carry += (uint64_t)a.limbs[i] * b.limbs[j] + limbs[i + j]; // at most 2^64 - 1
            limbs[i + j] = (uint32_t)carry;
            carry >>= LIMB_BITS;
        }
        limbs[i + b.length] = (uint32_t)carry;
    }
    return trimmed(limbs, a.length + b.length, a.sign * b.sign);
}

double rbl_big_to_double(rblBigInteger a, int exponent)
{
    if (a.sign == 0)
    {
        return 0.0;
    }
    // The top 64 bits, then normalised so that bit 63 is set.
    uint64_t top = (uint64_t)a.limbs[a.length - 1] << LIMB_BITS | (a.length > 1 ? a.limbs[a.length - 2] : 0);
    uint64_t below = a.length > 2 ? a.limbs[a.length - 3] : 0;
    int top_exponent = exponent + (a.length - 2) * LIMB_BITS;
    while (top >> 63 == 0)
    {
        below <<= 1;
        top = top << 1 | (below >> LIMB_BITS & 1);
        top_exponent -= 1;
    }
    const int biased = top_exponent + 63 + 1023;
    double magnitude = biased < 1 ? DBL_MIN : DBL_MAX;
    if (biased >= 1 && biased <= 2046)
    {
        const uint64_t bits = (uint64_t)biased << 52 | (top >> 11 & 0xFFFFFFFFFFFFFu);
        memcpy(&magnitude, &bits, sizeof magnitude);
    }
    return a.sign > 0 ? magnitude : -magnitude;
}
