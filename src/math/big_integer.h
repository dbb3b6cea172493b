// Signed integers of any length for the exact path of the predicates. Every finite double is an integer multiple of a
// power of two, so sums and products of doubles are exact here over the whole range of double, for every rounding mode,
// compiler and platform. (The alternative, floating-point expansions, is exact only while no product over- or
// underflows.)
#ifndef RBL_MATH_BIG_INTEGER_H
#define RBL_MATH_BIG_INTEGER_H

#include <stdint.h>

// Sign and magnitude, lowest limb first; the top limb is not zero. Zero has no limbs and sign 0.
typedef struct rblBigInteger
{
    const uint32_t* limbs;
    int length;
    int sign; // -1, 0, 1
} rblBigInteger;

// Stack of limbs: save `used` and restore it to free later allocations.
typedef struct rblBigSpace
{
    uint32_t* limbs;
    int capacity;
    int used;
} rblBigSpace;

// The exponent e such that x is an integer multiple of 2^e, the same for all doubles of x's magnitude. x is
// finite.
int rbl_big_exponent(double x);

// x / 2^exponent; exponent <= rbl_big_exponent(x) or x is 0.
rblBigInteger rbl_big_from_double(rblBigSpace* space, double x, int exponent);

rblBigInteger rbl_big_copy(rblBigSpace* space, rblBigInteger a);
rblBigInteger rbl_big_add(rblBigSpace* space, rblBigInteger a, rblBigInteger b);
rblBigInteger rbl_big_subtract(rblBigSpace* space, rblBigInteger a, rblBigInteger b);
rblBigInteger rbl_big_multiply(rblBigSpace* space, rblBigInteger a, rblBigInteger b);

// a * 2^exponent, truncated to 53 bits and clamped to the normal range of double: the sign is always that of a.
double rbl_big_to_double(rblBigInteger a, int exponent);

#endif
