// Doubles and floats to the shortest text that reads back the same (Giulietti 2021, "The Schubfach way to render
// doubles"), and to a fixed number of digits.
#include "base/number.h"
#include "base/number/natural.h"
#include "base/number/powers_of_ten.h"
#include "base/wide.h"
#include <string.h>

#define FIXED_DIGITS_MAX 14   // fits in RBL_NUMBER_SIZE besides 15 digits, sign, point and terminator
#define FIXED_LIMIT      1e15 // from here on rbl_format_fixed() uses an exponent

// The shortest text has no exponent up to LONGEST_PLAIN digits before the point and ZEROS_PLAIN zeros after it.
#define LONGEST_PLAIN 16
#define ZEROS_PLAIN   4

typedef struct Decimal
{
    uint64_t digits;
    int32_t exponent; // digits * 10^exponent
} Decimal;

// ---- the shortest decimal ----

// floor(log10(2^q)), and floor(log10(3/4 * 2^q)): 1262611 / 2^22 is log10(2), 524031 / 2^22 is log10(4/3).
static int32_t floor_log10_pow2(int32_t q, bool three_quarters)
{
    return rbl_floor_shift(q * 1262611 - (three_quarters ? 524031 : 0), 22);
}

// The data that Schubfach needs of a number c * 2^q, in units of 10^k / 4, truncated, with the last bit set when
// anything was cut off ("rounded to odd"): the number itself and the interval in which a text reads back as it.
typedef struct Interval
{
    uint64_t value, low, high;
} Interval;

// Of the decimals inside the interval choose one with the fewest digits, and of these the nearest.
static Decimal choose_decimal(Interval x, int32_t k)
{
    const uint64_t s = x.value / 4;
    if (s >= 10)
    {
        const uint64_t tens = s / 10;
        const bool below_inside = x.low <= 40 * tens;
        const bool above_inside = 40 * tens + 40 <= x.high;
        if (below_inside != above_inside)
        {
            return (Decimal){tens + above_inside, k + 1};
        }
    }
    const bool below_inside = x.low <= 4 * s;
    const bool above_inside = 4 * s + 4 <= x.high;
    if (below_inside != above_inside)
    {
        return (Decimal){s + above_inside, k};
    }
    const uint64_t middle = 4 * s + 2;
    return (Decimal){s + (x.value > middle || (x.value == middle && (s & 1) != 0)), k};
}

// The power of ten of the table, rounded up instead of truncated.
static rblU128 power_rounded_up(int32_t k)
{
    const rblPowerOfTen* power = &rbl_powers_of_ten[k - RBL_POWER_OF_TEN_MIN];
    return (rblU128){power->high, power->low + (k < 0 || k > RBL_POWER_OF_TEN_EXACT)};
}

// g * x / 2^128, rounded to odd. The power is too large by less than one unit, so the middle word of the product is
// too large by at most one: 0 and 1 both mean that nothing was cut off.
static uint64_t scale_to_odd(rblU128 g, uint64_t x)
{
    const rblU128 low = rbl_multiply_wide(g.low, x);
    rblU128 high = rbl_multiply_wide(g.high, x);
    high.low += low.high;
    high.high += high.low < low.high;
    return high.high | (high.low > 1);
}

// c * 2^q; `lopsided`: a power of two, whose lower neighbour is only half as far away as the upper one.
static Decimal shortest_double(uint64_t c, int32_t q, bool lopsided)
{
    const int32_t k = floor_log10_pow2(q, lopsided);
    const int32_t shift = q + rbl_floor_log2_pow10(-k) + 1;
    const rblU128 g = power_rounded_up(-k);
    const uint64_t odd = c & 1; // ties read back as the even number, so its interval includes the borders
    const Interval x = {scale_to_odd(g, 4 * c << shift),
                        scale_to_odd(g, (4 * c - (lopsided ? 1 : 2)) << shift) + odd,
                        scale_to_odd(g, (4 * c + 2) << shift) - odd};
    return choose_decimal(x, k);
}

// The same with 64-bit powers, which are enough for the 24 bits of a float; x < 2^32.
static uint64_t scale_float_to_odd(uint64_t g, uint64_t x)
{
    const rblU128 product = rbl_multiply_wide(g, x);
    return product.high | (product.low >> 32 > 1);
}

static Decimal shortest_float(uint32_t c, int32_t q, bool lopsided)
{
    const int32_t k = floor_log10_pow2(q, lopsided);
    const int32_t shift = q + rbl_floor_log2_pow10(-k) + 1;
    const rblPowerOfTen* power = &rbl_powers_of_ten[-k - RBL_POWER_OF_TEN_MIN];
    const uint64_t g = power->high + (-k < 0 || -k > RBL_POWER_OF_TEN_EXACT_HIGH);
    const uint64_t odd = c & 1;
    const uint64_t wide = 4 * (uint64_t)c;
    const Interval x = {scale_float_to_odd(g, wide << shift),
                        scale_float_to_odd(g, (wide - (lopsided ? 1 : 2)) << shift) + odd,
                        scale_float_to_odd(g, (wide + 2) << shift) - odd};
    return choose_decimal(x, k);
}

// ---- writing digits ----

static const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
                                     "25262728293031323334353637383940414243444546474849"
                                     "50515253545556575859606162636465666768697071727374"
                                     "75767778798081828384858687888990919293949596979899";

static const uint64_t ten_powers[20] = {1u,
                                        10u,
                                        100u,
                                        1000u,
                                        10000u,
                                        100000u,
                                        1000000u,
                                        10000000u,
                                        100000000u,
                                        1000000000u,
                                        10000000000u,
                                        100000000000u,
                                        1000000000000u,
                                        10000000000000u,
                                        100000000000000u,
                                        1000000000000000u,
                                        10000000000000000u,
                                        100000000000000000u,
                                        1000000000000000000u,
                                        10000000000000000000u};

// The number of digits; 1 for the number 0.
static uint32_t count_digits(uint64_t value)
{
    const uint64_t one_or_more = value | 1; // the same number of digits, because powers of ten are even
    const uint32_t bits = 64 - rbl_leading_zeros(one_or_more);
    const uint32_t estimate = bits * 1233 >> 12; // 1233 / 4096 is log10(2)
    return estimate + (one_or_more >= ten_powers[estimate]);
}

// Exactly `count` digits, with leading zeros.
static void write_digits(uint64_t value, uint32_t count, char* out)
{
    char* c = out + count;
    for (; count >= 2; count -= 2)
    {
        c -= 2;
        memcpy(c, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (count == 1)
    {
        c[-1] = (char)('0' + value % 10);
    }
}

size_t rbl_format_u64(uint64_t value, char out[RBL_NUMBER_SIZE])
{
    const uint32_t count = count_digits(value);
    write_digits(value, count, out);
    out[count] = '\0';
    return count;
}

static char* write_exponent(int32_t exponent, char* c)
{
    *c++ = 'e';
    *c++ = exponent < 0 ? '-' : '+';
    const uint64_t size = (uint64_t)(exponent < 0 ? -exponent : exponent);
    const uint32_t count = count_digits(size);
    write_digits(size, count, c);
    return c + count;
}

// digits > 0, without trailing zeros.
static char* write_decimal(Decimal decimal, char* c)
{
    const int32_t count = (int32_t)count_digits(decimal.digits);
    const int32_t point = count + decimal.exponent; // digits before the point
    if (point > LONGEST_PLAIN || point < -ZEROS_PLAIN)
    {
        write_digits(decimal.digits, (uint32_t)count, c + 1);
        c[0] = c[1];
        c[1] = '.';
        return write_exponent(point - 1, c + (count > 1 ? count + 1 : 1));
    }
    if (point <= 0)
    {
        memcpy(c, "0.0000", 6);
        write_digits(decimal.digits, (uint32_t)count, c + 2 - point);
        return c + 2 - point + count;
    }
    if (point >= count)
    {
        write_digits(decimal.digits, (uint32_t)count, c);
        memset(c + count, '0', (size_t)(point - count));
        return c + point;
    }
    const uint64_t unit = ten_powers[count - point];
    write_digits(decimal.digits / unit, (uint32_t)point, c);
    c[point] = '.';
    write_digits(decimal.digits % unit, (uint32_t)(count - point), c + point + 1);
    return c + count + 1;
}

static size_t write_word(bool negative, const char* word, char* out)
{
    char* c = out;
    if (negative)
    {
        *c++ = '-';
    }
    const size_t length = strlen(word);
    memcpy(c, word, length + 1);
    return (size_t)(c - out) + length;
}

static size_t write_shortest(bool negative, Decimal decimal, char* out)
{
    while (decimal.digits % 10 == 0)
    {
        decimal.digits /= 10;
        decimal.exponent += 1;
    }
    char* c = out;
    if (negative)
    {
        *c++ = '-';
    }
    c = write_decimal(decimal, c);
    *c = '\0';
    return (size_t)(c - out);
}

size_t rbl_format_double(double value, char out[RBL_NUMBER_SIZE])
{
    if (out == NULL)
    {
        return 0;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const bool negative = bits >> 63 != 0;
    const int32_t biased = (int32_t)(bits >> 52 & 0x7FF);
    const uint64_t fraction = bits & 0x000FFFFFFFFFFFFFu;
    if (biased == 0x7FF)
    {
        return fraction != 0 ? write_word(false, "nan", out) : write_word(negative, "inf", out);
    }
    if (biased == 0 && fraction == 0)
    {
        return write_word(negative, "0", out);
    }
    const uint64_t c = biased == 0 ? fraction : fraction | (uint64_t)1 << 52;
    const int32_t q = (biased == 0 ? 1 : biased) - 1075;
    if (q <= 0 && q > -53 && (c & (((uint64_t)1 << -q) - 1)) == 0)
    {
        return write_shortest(negative, (Decimal){c >> -q, 0}, out); // an integer below 2^53
    }
    return write_shortest(negative, shortest_double(c, q, fraction == 0 && biased > 1), out);
}

size_t rbl_format_float(float value, char out[RBL_NUMBER_SIZE])
{
    if (out == NULL)
    {
        return 0;
    }
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const bool negative = bits >> 31 != 0;
    const int32_t biased = (int32_t)(bits >> 23 & 0xFF);
    const uint32_t fraction = bits & 0x007FFFFFu;
    if (biased == 0xFF)
    {
        return fraction != 0 ? write_word(false, "nan", out) : write_word(negative, "inf", out);
    }
    if (biased == 0 && fraction == 0)
    {
        return write_word(negative, "0", out);
    }
    const uint32_t c = biased == 0 ? fraction : fraction | (uint32_t)1 << 23;
    const int32_t q = (biased == 0 ? 1 : biased) - 150;
    return write_shortest(negative, shortest_float(c, q, fraction == 0 && biased > 1), out);
}

// ---- a fixed number of digits ----

// a * 2^(64 - shift) for shift > 0, the lowest bit set when anything is cut off.
static rblU128 align_to_high_word(rblU128 a, uint32_t shift)
{
    if (shift < 64)
    {
        const uint32_t left = 64 - shift;
        return (rblU128){a.high << left | a.low >> shift, a.low << left};
    }
    const uint32_t right = shift - 64;
    if (right == 0)
    {
        return a;
    }
    const uint64_t cut = a.low & (((uint64_t)1 << right) - 1);
    return (rblU128){a.high >> right, a.high << (64 - right) | a.low >> right | (cut != 0)};
}

// c * 2^-shift * 10^digits, rounded to the nearest integer, ties to even. 0 < shift, c < 2^shift, c < 2^53, digits <=
// 14: the product with the power of ten stays below 2^100. `odd_whole`: the integer before the point is odd.
static uint64_t round_fraction(uint64_t c, uint32_t shift, uint32_t digits, bool odd_whole)
{
    if (shift > 101)
    {
        return 0;
    }
    const rblU128 scaled = align_to_high_word(rbl_multiply_wide(c, ten_powers[digits]), shift);
    const uint64_t half = (uint64_t)1 << 63;
    const bool odd = digits == 0 ? odd_whole : (scaled.high & 1) != 0;
    return scaled.high + (scaled.low > half || (scaled.low == half && odd));
}

// c * 2^q below FIXED_LIMIT.
static char* write_plain(uint64_t c, int32_t q, uint32_t digits, char* out)
{
    uint64_t whole = 0;
    uint64_t rest = 0;
    if (q >= 0)
    {
        whole = c << q;
    }
    else
    {
        const uint32_t shift = (uint32_t)-q;
        whole = shift < 64 ? c >> shift : 0;
        rest = round_fraction(shift < 64 ? c - (whole << shift) : c, shift, digits, (whole & 1) != 0);
    }
    if (rest >= ten_powers[digits])
    {
        rest -= ten_powers[digits];
        whole += 1;
    }
    const uint32_t count = count_digits(whole);
    write_digits(whole, count, out);
    out += count;
    if (digits > 0)
    {
        *out++ = '.';
        write_digits(rest, digits, out);
    }
    return out + digits;
}

// The first `count` digits of number / 10^exponent, which is below 10, rounded to nearest, ties to even.
static uint64_t divide_digits(rblNatural* number, int32_t exponent, uint32_t count)
{
    rblNatural unit;
    rbl_natural_set(&unit, 1);
    rbl_natural_multiply_pow10(&unit, (uint32_t)exponent);
    uint64_t digits = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        digits *= 10;
        for (; rbl_natural_compare(number, &unit) >= 0; ++digits)
        {
            rbl_natural_subtract(number, &unit);
        }
        rbl_natural_multiply_add(number, 10, 0);
    }
    rbl_natural_multiply_add(&unit, 5, 0); // the remainder was already multiplied by ten
    const int order = rbl_natural_compare(number, &unit);
    return digits + (order > 0 || (order == 0 && (digits & 1) != 0));
}

// c * 2^q of at least FIXED_LIMIT, so that it is an integer.
static char* write_scientific(uint64_t c, int32_t q, uint32_t digits, char* out)
{
    rblNatural number;
    rbl_natural_set(&number, c);
    if (q >= 0)
    {
        rbl_natural_shift_left(&number, (uint32_t)q);
    }
    else
    {
        rbl_natural_set(&number, c >> -q);
    }
    const Decimal shortest = shortest_double(c, q, false);
    int32_t exponent = (int32_t)count_digits(shortest.digits) - 1 + shortest.exponent;
    rblNatural unit;
    rbl_natural_set(&unit, 1);
    rbl_natural_multiply_pow10(&unit, (uint32_t)exponent);
    exponent -= rbl_natural_compare(&number, &unit) <
                0; // the shortest text may have been rounded up to a power of ten
    uint64_t result = divide_digits(&number, exponent, digits + 1);
    if (result == ten_powers[digits + 1])
    {
        result /= 10;
        exponent += 1;
    }
    write_digits(result, digits + 1, out + 1);
    out[0] = out[1];
    out[1] = '.';
    return write_exponent(exponent, out + (digits > 0 ? digits + 2 : 1));
}

size_t rbl_format_fixed(double value, uint32_t digits, char out[RBL_NUMBER_SIZE])
{
    if (out == NULL)
    {
        return 0;
    }
    if (!(value - value == 0)) // not finite
    {
        return rbl_format_double(value, out);
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t size = bits & ~((uint64_t)1 << 63);
    const int32_t biased = (int32_t)(size >> 52);
    const uint64_t fraction = size & 0x000FFFFFFFFFFFFFu;
    const uint64_t c = biased == 0 ? fraction : fraction | (uint64_t)1 << 52;
    const int32_t q = (biased == 0 ? 1 : biased) - 1075;
    const uint32_t count = digits < FIXED_DIGITS_MAX ? digits : FIXED_DIGITS_MAX;
    char* end = out;
    if (size != bits)
    {
        *end++ = '-';
    }
    const bool plain = value < FIXED_LIMIT && value > -FIXED_LIMIT;
    end = plain ? write_plain(c, q, count, end) : write_scientific(c, q, count, end);
    *end = '\0';
    return (size_t)(end - out);
}
