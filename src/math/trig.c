// sin, cos and tan: x is reduced to r = x - n pi/2 with |r| <= pi/4, Taylor series are evaluated, and the quadrant n
// selects the result.
#include "math/trig.h"

#include "math/double_double.h"
#include "math/float_bits.h"
#include <math.h>
#include <stdbool.h>

// 2/pi and pi/4, rounded to double.
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define QUARTER_PI  0x1.921fb54442d18p-1

// pi/2 in three pieces; multiples of the first two below 2^20 are exact.
#define HALF_PI_1 0x1.921fb54400000p+0
#define HALF_PI_2 0x1.0b4611a600000p-34
#define HALF_PI_3 0x1.3198a2e037073p-69

// Above LARGE_ARGUMENT the pieces are not enough. Below it they are, unless x is within CLOSE_TO_MULTIPLE of a
// multiple of pi/2.
#define LARGE_ARGUMENT    0x1p20
#define CLOSE_TO_MULTIPLE 0x1p-20

// x = quadrant * pi/2 + r.
typedef struct Reduced
{
    rblDouble2 r;
    unsigned quadrant; // modulo 4
} Reduced;

// Cody and Waite 1980: subtract n pi/2 piece by piece, the first piece without rounding.
static Reduced reduce_small(double x)
{
    const double n = floor(x * TWO_OVER_PI + 0.5);
    const double first = x - n * HALF_PI_1;
    const rblDouble2 second = rbl_two_sum(first, -n * HALF_PI_2);
    const rblDouble2 r = rbl_two_sum(second.high, second.low - n * HALF_PI_3);
    return (Reduced){r, (unsigned)(int)n & 3u};
}

// ---- large arguments: Payne and Hanek 1983 in integers ----

#define WINDOW            7            // limbs of 2/pi that matter for one argument
#define LIMBS             (WINDOW + 2) // of their product with a mantissa
#define TWO_OVER_PI_LIMBS 40

// The binary digits of 2/pi, 32 at a time.
static const uint32_t two_over_pi[TWO_OVER_PI_LIMBS] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
    0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
    0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D,
};

// mantissa * two_over_pi[first .. first + WINDOW - 1], lowest limb first.
static void multiply_window(uint64_t mantissa, int first, uint32_t product[LIMBS])
{
    const uint64_t low = mantissa & UINT32_MAX;
    const uint64_t high = mantissa >> 32;
    memset(product, 0, LIMBS * sizeof *product);
    for (int i = 0; i < WINDOW; ++i)
    {
        const uint64_t digit = two_over_pi[first + WINDOW - 1 - i];
        uint64_t carry = low * digit + product[i];
        product[i] = (uint32_t)carry;
        carry = (carry >> 32) + high * digit + product[i + 1];
        product[i + 1] = (uint32_t)carry;
        product[i + 2] = (uint32_t)(carry >> 32);
    }
}

// 64 bits of a number, starting at bit `at` (which may be below bit 0).
static uint64_t bits_from(const uint32_t limbs[LIMBS], int at)
{
    uint64_t bits = 0;
    for (int i = 0; i < LIMBS; ++i)
    {
        const int shift = 32 * i - at;
        if (shift > -32 && shift < 64)
        {
            bits |= shift >= 0 ? (uint64_t)limbs[i] << shift : (uint64_t)limbs[i] >> -shift;
        }
    }
    return bits;
}

static void negate(uint32_t limbs[LIMBS])
{
    uint64_t carry = 1;
    for (int i = 0; i < LIMBS; ++i)
    {
        carry += (uint32_t)~limbs[i];
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

// Clear all bits except 0 .. count - 1.
static void keep_below(uint32_t limbs[LIMBS], int count)
{
    for (int i = 0; i < LIMBS; ++i)
    {
        const int kept = count - 32 * i;
        limbs[i] = kept >= 32 ? limbs[i] : (kept > 0 ? limbs[i] & ((UINT32_C(1) << kept) - 1) : 0);
    }
}

// Bits 0 .. count - 1 as a fraction of 2^count.
static rblDouble2 fraction_of(const uint32_t limbs[LIMBS], int count)
{
    int top = count;
    while (top > 0 && (limbs[(top - 1) / 32] >> (top - 1) % 32 & 1) == 0)
    {
        --top;
    }
    // 106 bits below `top`, as two halves that convert without rounding. The scale stays above 2^-200: no double is
    // closer to a multiple of pi/2 than 2^-62 relative to pi/2.
    const uint64_t high = bits_from(limbs, top - 64) >> 11;
    const uint64_t low = bits_from(limbs, top - 117) >> 11;
    const double scale = rbl_power_of_two(top - count - 53);
    return rbl_fast_two_sum((double)high * scale, (double)low * (scale * 0x1p-53));
}

// x > 0 finite. n = x * 2/pi needs only the digits of 2/pi between 4 and 2^-137 in the product: higher ones are full
// turns, lower ones are below the precision of r.
static Reduced reduce_large(double x)
{
    int exponent;
    const double m = rbl_split_exponent(x, &exponent);
    const uint64_t mantissa = (uint64_t)(m * 0x1p52);
    exponent -= 52;
    const int first = exponent < 2 + 32 ? 0 : (exponent - 2) / 32;
    uint32_t product[LIMBS];
    multiply_window(mantissa, first, product);

    // Position of the binary point: above it are full turns.
    const int point = 32 * (first + WINDOW) - exponent;
    unsigned quadrant = (unsigned)(bits_from(product, point) & 3u);
    const bool round_up = (bits_from(product, point - 1) & 1u) != 0;
    if (round_up)
    {
        quadrant += 1;
        negate(product);
    }
    keep_below(product, point);
    const rblDouble2 half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    const rblDouble2 r = rbl_dd_multiply(fraction_of(product, point), half_pi);
    return (Reduced){round_up ? rbl_dd_negate(r) : r, quadrant & 3u};
}

static Reduced reduce(double x)
{
    if (fabs(x) <= QUARTER_PI)
    {
        return (Reduced){{x, 0.0}, 0};
    }
    if (fabs(x) < LARGE_ARGUMENT)
    {
        const Reduced small = reduce_small(x);
        if (fabs(small.r.high) > CLOSE_TO_MULTIPLE)
        {
            return small;
        }
    }
    Reduced large = reduce_large(fabs(x));
    if (x < 0.0)
    {
        large.r = rbl_dd_negate(large.r);
        large.quadrant = (4u - large.quadrant) & 3u;
    }
    return large;
}

// ---- series on [-pi/4, pi/4], truncated where the next term is below 2^-60 of the result ----

// sin(r) as an unevaluated sum.
static rblDouble2 sine_series(rblDouble2 r)
{
    const double z = r.high * r.high;
    double p = 1.0 / 355687428096000.0; // 1 / 17!
    p = -1.0 / 1307674368000.0 + z * p;
    p = 1.0 / 6227020800.0 + z * p;
    p = -1.0 / 39916800.0 + z * p;
    p = 1.0 / 362880.0 + z * p;
    p = -1.0 / 5040.0 + z * p;
    p = 1.0 / 120.0 + z * p;
    p = -1.0 / 6.0 + z * p;
    return (rblDouble2){r.high, r.high * z * p + r.low * (1.0 - 0.5 * z)};
}

// cos(r) as an unevaluated sum: 1 - z/2 keeps its rounding error.
static rblDouble2 cosine_series(rblDouble2 r)
{
    const rblDouble2 zz = rbl_two_product(r.high, r.high);
    const double z = zz.high;
    double p = -1.0 / 6402373705728000.0; // 1 / 18!
    p = 1.0 / 20922789888000.0 + z * p;
    p = -1.0 / 87178291200.0 + z * p;
    p = 1.0 / 479001600.0 + z * p;
    p = -1.0 / 3628800.0 + z * p;
    p = 1.0 / 40320.0 + z * p;
    p = -1.0 / 720.0 + z * p;
    p = 1.0 / 24.0 + z * p;
    const rblDouble2 head = rbl_fast_two_sum(1.0, -0.5 * z);
    return (rblDouble2){head.high, head.low + (z * z * p - (r.high * r.low + 0.5 * zz.low))};
}

static double sum_of(rblDouble2 pair)
{
    return pair.high + pair.low;
}

static bool is_finite(double x)
{
    return x - x == 0.0;
}

double rbl_sin(double x)
{
    if (!is_finite(x) || fabs(x) < 0x1p-27)
    {
        return is_finite(x) ? x : (double)NAN;
    }
    const Reduced reduced = reduce(x);
    const double value =
        sum_of((reduced.quadrant & 1u) != 0 ? cosine_series(reduced.r) : sine_series(reduced.r));
    return (reduced.quadrant & 2u) != 0 ? -value : value;
}

double rbl_cos(double x)
{
    if (!is_finite(x))
    {
        return (double)NAN;
    }
    const Reduced reduced = reduce(x);
    const double value =
        sum_of((reduced.quadrant & 1u) != 0 ? sine_series(reduced.r) : cosine_series(reduced.r));
    return ((reduced.quadrant + 1u) & 2u) != 0 ? -value : value;
}

void rbl_sincos(double x, double* sine, double* cosine)
{
    if (!is_finite(x) || fabs(x) < 0x1p-27)
    {
        *sine = is_finite(x) ? x : (double)NAN;
        *cosine = is_finite(x) ? 1.0 : (double)NAN;
        return;
    }
    const Reduced reduced = reduce(x);
    const double s = sum_of(sine_series(reduced.r));
    const double c = sum_of(cosine_series(reduced.r));
    const bool swap = (reduced.quadrant & 1u) != 0;
    *sine = (reduced.quadrant & 2u) != 0 ? -(swap ? c : s) : (swap ? c : s);
    *cosine = ((reduced.quadrant + 1u) & 2u) != 0 ? -(swap ? s : c) : (swap ? s : c);
}

double rbl_tan(double x)
{
    if (!is_finite(x) || fabs(x) < 0x1p-27)
    {
        return is_finite(x) ? x : (double)NAN;
    }
    const Reduced reduced = reduce(x);
    const rblDouble2 sine_sum = sine_series(reduced.r);
    const rblDouble2 cosine_sum = cosine_series(reduced.r);
    const rblDouble2 s = rbl_fast_two_sum(sine_sum.high, sine_sum.low);
    const rblDouble2 c = rbl_fast_two_sum(cosine_sum.high, cosine_sum.low);
    const rblDouble2 tangent =
        (reduced.quadrant & 1u) != 0 ? rbl_dd_divide(rbl_dd_negate(c), s) : rbl_dd_divide(s, c);
    return sum_of(tangent);
}
