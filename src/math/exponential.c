// exp, log, pow and cbrt. The logarithm is computed to about 2^-66, so that pow, which multiplies its error by up to
// 2^11, is still correctly rounded in all but a few cases.
#include "math/double_double.h"
#include "math/float_bits.h"
#include "math/trig.h"
#include <math.h>
#include <stdbool.h>

// ln 2 = LN2_HIGH + LN2_LOW; multiples of LN2_HIGH below 2^11 are exact.
#define LN2_HIGH     0x1.62e42fefa3800p-1
#define LN2_LOW      0x1.ef35793c76730p-45
#define ONE_OVER_LN2 0x1.71547652b82fep+0
#define SQRT2        0x1.6a09e667f3bcdp+0

// Above and below these limits exp is infinite, or zero.
#define EXP_OVERFLOW  710.0
#define EXP_UNDERFLOW (-746.0)

// exp(x.high + x.low), EXP_UNDERFLOW <= x.high <= EXP_OVERFLOW: x = k ln 2 + r, |r| <= ln(2) / 2, then the Taylor
// series of exp(r) up to r^14; the rounding error of 1 + r is kept.
static double exp_pair(rblDouble2 x)
{
    const double k = floor(x.high * ONE_OVER_LN2 + 0.5);
    const rblDouble2 reduced = rbl_two_sum(x.high - k * LN2_HIGH, -k * LN2_LOW);
    const rblDouble2 r = rbl_two_sum(reduced.high, reduced.low + x.low);
    const double t = r.high;
    double p = 1.0 / 87178291200.0; // 1 / 14!
    p = 1.0 / 6227020800.0 + t * p;
    p = 1.0 / 479001600.0 + t * p;
    p = 1.0 / 39916800.0 + t * p;
    p = 1.0 / 3628800.0 + t * p;
    p = 1.0 / 362880.0 + t * p;
    p = 1.0 / 40320.0 + t * p;
    p = 1.0 / 5040.0 + t * p;
    p = 1.0 / 720.0 + t * p;
    p = 1.0 / 120.0 + t * p;
    p = 1.0 / 24.0 + t * p;
    p = 1.0 / 6.0 + t * p;
    p = 0.5 + t * p;
    const rblDouble2 head = rbl_fast_two_sum(1.0, t);
    const double value = head.high + (head.low + (t * t * p + (r.low + r.low * t)));
    return rbl_scaled(value, (int)k);
}

double rbl_exp(double x)
{
    if (x != x)
    {
        return (double)NAN;
    }
    if (x > EXP_OVERFLOW)
    {
        return (double)INFINITY;
    }
    if (x < EXP_UNDERFLOW)
    {
        return 0.0;
    }
    return exp_pair((rblDouble2){x, 0.0});
}

// ln(x) for finite x > 0: x = 2^k m, sqrt(1/2) < m <= sqrt(2), and with s = (m - 1) / (m + 1)
//   ln m = 2 s + 2/3 s^3 + 2/5 s^5 + ...,   |s| < 0.172.
// The first two terms are pairs of doubles, the others sum up to less than 2^-12 of the result.
static rblDouble2 log_pair(double x)
{
    int k;
    double m = rbl_split_exponent(x, &k);
    if (m > SQRT2)
    {
        m *= 0.5;
        k += 1;
    }
    const rblDouble2 s = rbl_dd_divide((rblDouble2){m - 1.0, 0.0}, rbl_two_sum(m, 1.0));
    const rblDouble2 z = rbl_dd_multiply(s, s);
    const rblDouble2 two_thirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
    const rblDouble2 cubic = rbl_dd_multiply(two_thirds, rbl_dd_multiply(s, z));
    double p = 2.0 / 27.0;
    p = 2.0 / 25.0 + z.high * p;
    p = 2.0 / 23.0 + z.high * p;
    p = 2.0 / 21.0 + z.high * p;
    p = 2.0 / 19.0 + z.high * p;
    p = 2.0 / 17.0 + z.high * p;
    p = 2.0 / 15.0 + z.high * p;
    p = 2.0 / 13.0 + z.high * p;
    p = 2.0 / 11.0 + z.high * p;
    p = 2.0 / 9.0 + z.high * p;
    p = 2.0 / 7.0 + z.high * p;
    p = 2.0 / 5.0 + z.high * p;
    const double rest = s.high * (z.high * z.high) * p;
    const rblDouble2 power = {k * LN2_HIGH, k * LN2_LOW};
    const rblDouble2 head = rbl_dd_add(power, (rblDouble2){2.0 * s.high, 2.0 * s.low});
    const rblDouble2 sum = rbl_dd_add(head, cubic);
    return rbl_fast_two_sum(sum.high, sum.low + rest);
}

double rbl_log(double x)
{
    if (!(x > 0.0))
    {
        return x == 0.0 ? (double)-INFINITY : (double)NAN;
    }
    if (x - x != 0.0)
    {
        return x;
    }
    return log_pair(x).high;
}

// ---- pow ----

static bool is_integer(double y)
{
    return floor(y) == y;
}

static bool is_odd(double y)
{
    return is_integer(y) && fabs(y) < 0x1p53 && !is_integer(0.5 * y);
}

// x or y is zero, infinite or NaN, in the order of Annex F.
static double pow_special(double x, double y)
{
    if (y == 0.0 || x == 1.0)
    {
        return 1.0;
    }
    if (x != x || y != y)
    {
        return (double)NAN;
    }
    if (y - y != 0.0) // infinite exponent
    {
        if (fabs(x) == 1.0)
        {
            return 1.0;
        }
        return (fabs(x) > 1.0) == (y > 0.0) ? (double)INFINITY : 0.0;
    }
    const double magnitude = (x == 0.0) == (y > 0.0) ? 0.0 : (double)INFINITY;
    return is_odd(y) ? rbl_with_sign(magnitude, x) : magnitude;
}

double rbl_pow(double x, double y)
{
    if (!(x - x == 0.0) || !(y - y == 0.0) || x == 0.0 || y == 0.0 || x == 1.0)
    {
        return pow_special(x, y);
    }
    if (x < 0.0 && !is_integer(y))
    {
        return (double)NAN;
    }
    const double sign = x < 0.0 && is_odd(y) ? -1.0 : 1.0;
    const rblDouble2 logarithm = log_pair(fabs(x));
    if (logarithm.high == 0.0)
    {
        return sign;
    }
    // ln x| >= 2^-54: for exponents beyond 2^64 the result overflows or underflows, and the product below could too.
    const double clamped = y > 0x1p64 ? 0x1p64 : (y < -0x1p64 ? -0x1p64 : y);
    const rblDouble2 product = rbl_two_product(clamped, logarithm.high);
    const rblDouble2 power = rbl_fast_two_sum(product.high, product.low + clamped * logarithm.low);
    if (power.high > EXP_OVERFLOW)
    {
        return sign * (double)INFINITY;
    }
    if (power.high < EXP_UNDERFLOW)
    {
        return sign * 0.0;
    }
    return sign * exp_pair(power);
}

// ---- cbrt ----

// Halley's iteration for t^3 = a: the error is cubed, times 2/3.
static double halley(double t, double a)
{
    const double cube = t * t * t;
    return t * ((cube + 2.0 * a) / (2.0 * cube + a));
}

double rbl_cbrt(double x)
{
    if (x == 0.0 || x - x != 0.0)
    {
        return x != x ? (double)NAN : x;
    }
    int exponent;
    const double m = rbl_split_exponent(fabs(x), &exponent);
    const int third = (exponent + 1200) / 3 - 400; // rounded down
    const int rest = exponent - 3 * third;
    const double a = m * rbl_power_of_two(rest);
    const double roots[3] = {1.0, 1.2599210498948732, 1.5874010519681994}; // cbrt of 1, 2, 4
    double t = roots[rest] * (1.006 + 0.2599 * (m - 1.0));                 // within 1 %
    t = halley(halley(t, a), a);
    // One Newton step with an exact residual leaves only the last rounding.
    const rblDouble2 cube = rbl_dd_multiply(rbl_two_product(t, t), (rblDouble2){t, 0.0});
    t += ((a - cube.high) - cube.low) / (3.0 * t * t);
    return rbl_with_sign(t * rbl_power_of_two(third), x);
}
