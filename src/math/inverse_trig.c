// atan2 and related functions. All of them are angles of a vector (x, y) whose coordinates are known to 106 bits.
#include "math/double_double.h"
#include "math/float_bits.h"
#include "math/trig.h"
#include <math.h>
#include <stdbool.h>

static const rblDouble2 pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const rblDouble2 half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// atan(k / 8)
static const rblDouble2 eighths[9] = {
    {0.0, 0.0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// atan(t) - t for |t| up to slightly more than 1/16: the series up to t^15.
static double arctangent_tail(double t)
{
    const double z = t * t;
    double p = -1.0 / 15.0;
    p = 1.0 / 13.0 + z * p;
    p = -1.0 / 11.0 + z * p;
    p = 1.0 / 9.0 + z * p;
    p = -1.0 / 7.0 + z * p;
    p = 1.0 / 5.0 + z * p;
    p = -1.0 / 3.0 + z * p;
    return t * z * p;
}

// atan(y / x), 0 <= y <= x, x > 0: rotate back by the nearest atan(k / 8), so that
//   t = (y - c x) / (x + c y),   c = k / 8,   atan(y / x) = atan(c) + atan(t),   |t| <= 1/16.
static rblDouble2 octant_angle(rblDouble2 y, rblDouble2 x)
{
    const int k = (int)floor(8.0 * (y.high / x.high) + 0.5);
    const rblDouble2 c = {0.125 * k, 0.0};
    const rblDouble2 turned_y = rbl_dd_add(y, rbl_dd_negate(rbl_dd_multiply(c, x)));
    const rblDouble2 turned_x = rbl_dd_add(x, rbl_dd_multiply(c, y));
    const rblDouble2 t = rbl_dd_divide(turned_y, turned_x);
    const rblDouble2 head = rbl_dd_add(eighths[k], t);
    return rbl_fast_two_sum(head.high, head.low + arctangent_tail(t.high));
}

// The angle in [0, pi/2] of a vector with y, x >= 0, not both 0.
static rblDouble2 quadrant_angle(rblDouble2 y, rblDouble2 x)
{
    if (y.high <= x.high)
    {
        return octant_angle(y, x);
    }
    return rbl_dd_add(half_pi, rbl_dd_negate(octant_angle(x, y)));
}

static double atan2_special(double y, double x)
{
    if (x != x || y != y)
    {
        return (double)NAN;
    }
    const bool infinite_x = x - x != 0.0;
    const bool infinite_y = y - y != 0.0;
    double angle;
    if (infinite_x && infinite_y)
    {
        angle = rbl_sign_bit(x) ? 0.75 * pi.high : 0.25 * pi.high;
    }
    else if (infinite_y || (x == 0.0 && y != 0.0))
    {
        angle = half_pi.high;
    }
    else
    {
        angle = rbl_sign_bit(x) ? pi.high : 0.0;
    }
    return rbl_with_sign(angle, y);
}

double rbl_atan2(double y, double x)
{
    if (!(x - x == 0.0) || !(y - y == 0.0) || x == 0.0 || y == 0.0)
    {
        return atan2_special(y, x);
    }
    int x_exponent;
    int y_exponent;
    const double x_mantissa = rbl_split_exponent(fabs(x), &x_exponent);
    const double y_mantissa = rbl_split_exponent(fabs(y), &y_exponent);
    const int difference = y_exponent - x_exponent;
    if (difference < -60 || difference > 60) // atan(t) = t or pi/2 to all digits
    {
        const double angle = difference > 0 ? half_pi.high : (x > 0.0 ? fabs(y / x) : pi.high);
        return rbl_with_sign(angle, y);
    }
    const rblDouble2 scaled_y = {y_mantissa * rbl_power_of_two(difference), 0.0};
    rblDouble2 angle = quadrant_angle(scaled_y, (rblDouble2){x_mantissa, 0.0});
    if (x < 0.0)
    {
        angle = rbl_dd_add(pi, rbl_dd_negate(angle));
    }
    return rbl_with_sign(angle.high, y);
}

// sqrt(1 - x^2) for |x| <= 1.
static rblDouble2 circle_height(double x)
{
    const rblDouble2 square = rbl_two_product(x, x);
    const rblDouble2 rest = rbl_two_sum(1.0, -square.high);
    const rblDouble2 value = rbl_fast_two_sum(rest.high, rest.low - square.low);
    if (!(value.high > 0.0))
    {
        return (rblDouble2){0.0, 0.0};
    }
    const double root = sqrt(value.high);
    const rblDouble2 back = rbl_two_product(root, root);
    return rbl_fast_two_sum(root, ((value.high - back.high) - back.low + value.low) / (2.0 * root));
}

double rbl_acos(double x)
{
    if (!(fabs(x) <= 1.0))
    {
        return (double)NAN;
    }
    if (fabs(x) < 0x1p-60) // below the last digit of pi/2; products of such small x would underflow
    {
        return half_pi.high;
    }
    const rblDouble2 angle = quadrant_angle(circle_height(x), (rblDouble2){fabs(x), 0.0});
    return x > 0.0 ? angle.high : rbl_dd_add(pi, rbl_dd_negate(angle)).high;
}
