// Pairs of doubles whose unevaluated sum has about 106 bits (Dekker 1971, "A floating-point technique for extending the
// available precision"; Knuth 1969 for the sum). Each pair is normalised: |low| <= ulp(high) / 2, up to a few roundings.
// Fused multiply-add is neither used nor assumed. Products are exact while |a|, |b| < 2^995 and |a b| > 2^-960.
#ifndef RBL_MATH_DOUBLE_DOUBLE_H
#define RBL_MATH_DOUBLE_DOUBLE_H

typedef struct rblDouble2
{
    double high, low;
} rblDouble2;

// a + b exactly, |a| >= |b| or a = 0.
static inline rblDouble2 rbl_fast_two_sum(double a, double b)
{
    const double sum = a + b;
    return (rblDouble2){sum, b - (sum - a)};
}

// a + b exactly.
static inline rblDouble2 rbl_two_sum(double a, double b)
{
    const double sum = a + b;
    const double b_part = sum - a;
    return (rblDouble2){sum, (a - (sum - b_part)) + (b - b_part)};
}

// a * b exactly: halves of 26 and 27 bits multiply without rounding.
static inline rblDouble2 rbl_two_product(double a, double b)
{
    const double a_shifted = 134217729.0 * a; // 2^27 + 1
    const double b_shifted = 134217729.0 * b;
    const double a_high = a_shifted - (a_shifted - a);
    const double b_high = b_shifted - (b_shifted - b);
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    const double product = a * b;
    return (rblDouble2){product,
                        a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)};
}

static inline rblDouble2 rbl_dd_add(rblDouble2 a, rblDouble2 b)
{
    const rblDouble2 high = rbl_two_sum(a.high, b.high);
    const rblDouble2 low = rbl_two_sum(a.low, b.low);
    const rblDouble2 partial = rbl_fast_two_sum(high.high, high.low + low.high);
    return rbl_fast_two_sum(partial.high, partial.low + low.low);
}

static inline rblDouble2 rbl_dd_negate(rblDouble2 a)
{
    return (rblDouble2){-a.high, -a.low};
}

static inline rblDouble2 rbl_dd_multiply(rblDouble2 a, rblDouble2 b)
{
    const rblDouble2 product = rbl_two_product(a.high, b.high);
    return rbl_fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline rblDouble2 rbl_dd_divide(rblDouble2 a, rblDouble2 b)
{
    const double quotient = a.high / b.high;
    const rblDouble2 product = rbl_two_product(quotient, b.high);
    const double rest = (((a.high - product.high) - product.low) + a.low) - quotient * b.low;
    return rbl_fast_two_sum(quotient, rest / b.high);
}

#endif
