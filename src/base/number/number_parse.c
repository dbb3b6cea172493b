// Decimal text to double, correctly rounded, in three steps of which the first is nearly always enough:
//   1. few digits and a small power of ten: one exact multiplication or division (Clinger 1990);
//   2. a 64 x 128 bit product with an error bound: accepted when both ends of the bound round to the same double
//      (the idea of Lemire 2021, "Number parsing at a gigabyte per second"; the bound is ours);
//   3. big integers.
#include "base/number.h"
#include "base/number/digits.h"
#include "base/number/natural.h"
#include "base/number/powers_of_ten.h"
#include "base/wide.h"
#include <string.h>

#define MAX_FAST_DIGITS 19 // any 19 digits fit in 64 bits

// The middle between two doubles has at most 767 digits; further digits only break the tie.
#define MAX_DIGITS    770
#define INFINITE_BITS 0x7FF0000000000000u

// 10^0 .. 10^22 are exact doubles.
static const double exact_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// ---- step 2: a product with an error bound ----

// The double nearest to (significand + s) * 2^exponent, where 0 <= s < 1 and s > 0 exactly when `sticky`.
// significand >= 2^62. Ties go to even.
static inline uint64_t round_to_double(uint64_t significand, bool sticky, int32_t exponent)
{
    const int32_t top = 63 - (int32_t)rbl_leading_zeros(significand);
    int32_t biased = exponent + top + 1023;
    int32_t shift = top - 52;
    if (biased <= 0)
    {
        shift += 1 - biased;
        biased = 1; // the smallest exponent; without the implicit bit the number is subnormal
    }
    if (biased >= 2047)
    {
        return INFINITE_BITS;
    }
    if (shift > 64)
    {
        return 0;
    }
    uint64_t mantissa = shift < 64 ? significand >> shift : 0;
    const uint64_t half = (uint64_t)1 << (shift - 1);
    const uint64_t rest = significand & (half | (half - 1));
    // Bit operations instead of branches, because the direction of rounding cannot be predicted.
    mantissa += (uint64_t)(rest > half) | ((uint64_t)(rest == half) & ((uint64_t)sticky | (mantissa & 1)));
    // The implicit bit, and a carry out of the mantissa, add one to the exponent.
    return ((uint64_t)(biased - 1) << 52) + mantissa;
}

typedef struct Bounds
{
    uint64_t low, high; // bits of the doubles that the bounds round to
} Bounds;

// w * 10^q, w > 0. With W = w shifted up to 64 bits and T the 128 bits of the table, the number is W * (T + r) times
// a power of two, 0 <= r < 1, so the 192-bit product is too small by less than W units of its last place.
static inline Bounds bound_product(uint64_t w, int64_t q)
{
    if (q < RBL_POWER_OF_TEN_MIN || q > 308)
    {
        const uint64_t bits = q < 0 ? 0 : INFINITE_BITS;
        return (Bounds){bits, bits};
    }
    const int32_t zeros = (int32_t)rbl_leading_zeros(w);
    const uint64_t wide = w << zeros;
    const int32_t exponent = rbl_floor_log2_pow10((int32_t)q) + 1 - zeros;
    const rblPowerOfTen* power = &rbl_powers_of_ten[q - RBL_POWER_OF_TEN_MIN];
    rblU128 product = rbl_multiply_wide(wide, power->high);
    const bool exact_high = q >= 0 && q <= RBL_POWER_OF_TEN_EXACT_HIGH;
    // Without the lower half of the table the upper word may be too small by one. That changes the rounding only when
    // all bits below the rounding position are set; there are at least nine.
    if (exact_high || (product.high & 0x1FF) != 0x1FF)
    {
        const uint64_t bits = round_to_double(product.high, !exact_high || product.low != 0, exponent);
        return (Bounds){bits, bits};
    }
    const rblU128 rest = rbl_multiply_wide(wide, power->low);
    product.low += rest.high;
    product.high += product.low < rest.high;
    const bool exact = q >= 0 && q <= RBL_POWER_OF_TEN_EXACT;
    if (exact || product.low != UINT64_MAX || rest.low + wide >= wide)
    {
        const bool sticky = !exact || (product.low | rest.low) != 0;
        const uint64_t bits = round_to_double(product.high, sticky, exponent);
        return (Bounds){bits, bits};
    }
    // The next larger significand may be reached or passed. (It does not overflow: W (T + 1) <= 2^192 - 2^128.)
    return (Bounds){round_to_double(product.high, true, exponent),
                    round_to_double(product.high + 1, true, exponent)};
}

// ---- step 3: exact ----

// The significant digits of a number: digits * 10^exponent, where digits are the first `count` ones from `first` on,
// without the point that may be among them.
typedef struct Digits
{
    const char* first;
    const char* end;
    int64_t count;
    int64_t exponent;
} Digits;

static void digits_to_natural(const Digits* digits, rblNatural* natural, int64_t* exponent)
{
    rbl_natural_set(natural, 0);
    const int64_t kept = digits->count < MAX_DIGITS ? digits->count : MAX_DIGITS;
    int64_t taken = 0;
    bool rest = false;
    for (const char* c = digits->first; c < digits->end; ++c)
    {
        if (*c == '.')
        {
            continue;
        }
        if (taken < kept)
        {
            rbl_natural_multiply_add(natural, 10, (uint32_t)(*c - '0'));
            taken += 1;
            continue;
        }
        rest = rest || *c != '0';
    }
    *exponent = digits->exponent + (digits->count - kept);
    if (rest)
    {
        rbl_natural_multiply_add(natural, 10, 1); // any tail that is more than zero gives the same result
        *exponent -= 1;
    }
}

// Of `low` and the next double, the one nearer to the number: it is compared with the point halfway between them.
static uint64_t choose_exactly(const Digits* digits, uint64_t low)
{
    const uint64_t fraction = low & 0x000FFFFFFFFFFFFFu;
    const uint32_t biased = (uint32_t)(low >> 52);
    const uint64_t mantissa = biased == 0 ? fraction : fraction | 0x0010000000000000u;
    const int32_t half_exponent =
        (int32_t)(biased == 0 ? 1 : biased) - 1076; // of half a unit in the last place

    rblNatural number;
    rblNatural halfway;
    int64_t exponent;
    digits_to_natural(digits, &number, &exponent);
    rbl_natural_set(&halfway, 2 * mantissa + 1);
    rbl_natural_multiply_pow10(exponent > 0 ? &number : &halfway,
                               (uint32_t)(exponent > 0 ? exponent : -exponent));
    rbl_natural_shift_left(half_exponent > 0 ? &halfway : &number,
                           (uint32_t)(half_exponent > 0 ? half_exponent : -half_exponent));
    const int order = rbl_natural_compare(&number, &halfway);
    return low + (order > 0 || (order == 0 && (low & 1) != 0));
}

// The number whose digits (with at most one point among them) fill first .. end, times 10^exponent.
static uint64_t convert_long(const char* first, const char* end, int64_t exponent)
{
    const char* point = memchr(first, '.', (size_t)(end - first));
    if (point != NULL)
    {
        exponent -= end - point - 1;
    }
    while (first < end && (*first == '0' || *first == '.'))
    {
        ++first;
    }
    const bool point_inside = point != NULL && point >= first;
    const Digits digits = {first, end, end - first - point_inside, exponent};
    uint64_t w = 0;
    int64_t taken = 0;
    for (const char* c = first; c < end && taken < MAX_FAST_DIGITS; ++c)
    {
        if (*c != '.')
        {
            w = w * 10 + (uint64_t)(*c - '0');
            taken += 1;
        }
    }
    if (w == 0)
    {
        return 0;
    }
    const int64_t q = exponent + (digits.count - taken);
    Bounds bounds = bound_product(w, q);
    if (taken < digits.count)
    {
        bounds.high = bound_product(w + 1, q).high;
    }
    return bounds.low == bounds.high ? bounds.low : choose_exactly(&digits, bounds.low);
}

// ---- reading ----

static const char* match_word(const char* text, const char* end, const char* word)
{
    for (; *word != '\0'; ++word, ++text)
    {
        if (text == end || (*text | 0x20) != *word)
        {
            return NULL;
        }
    }
    return text;
}

static const char* parse_special(const char* text, const char* end, bool negative, double* out)
{
    uint64_t bits = INFINITE_BITS;
    const char* after = match_word(text, end, "infinity");
    after = after != NULL ? after : match_word(text, end, "inf");
    if (after == NULL)
    {
        after = match_word(text, end, "nan");
        bits = 0x7FF8000000000000u;
    }
    if (after != NULL)
    {
        bits |= (uint64_t)negative << 63;
        memcpy(out, &bits, sizeof *out);
    }
    return after;
}

// Parse the exponent part at `text`, if there is one, and add it to *exponent. An "e" without digits is not consumed.
static const char* parse_exponent(const char* text, const char* end, int64_t* exponent)
{
    const char* c = text + 1;
    const bool negative = c < end && *c == '-';
    c += c < end && (*c == '-' || *c == '+');
    if (c == end || !rbl_is_digit(*c))
    {
        return text;
    }
    int64_t value = 0;
    for (; c < end && rbl_is_digit(*c); ++c)
    {
        if (value < INT64_MAX / 40) // larger exponents cannot be compensated by any text in memory
        {
            value = value * 10 + (*c - '0');
        }
    }
    *exponent += negative ? -value : value;
    return c;
}

static inline double from_bits(uint64_t bits, bool negative)
{
    bits |= (uint64_t)negative << 63;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// w * 10^exponent by the first two steps; *done is false when the third step is needed. The first step is used for
// numbers of up to 15 digits: numbers of 16 digits are sometimes below 2^53, which would make the branch
// unpredictable.
static inline double convert_short(uint64_t w, int64_t exponent, int64_t digits, bool negative, bool* done)
{
    *done = true;
    if (digits <= 15 && exponent >= -22 && exponent <= 22)
    {
        const double value =
            exponent < 0 ? (double)w / exact_powers[-exponent] : (double)w * exact_powers[exponent];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return from_bits(bits, negative);
    }
    if (w == 0)
    {
        return from_bits(0, negative);
    }
    const Bounds bounds = bound_product(w, exponent);
    *done = bounds.low == bounds.high;
    return from_bits(bounds.low, negative);
}

// Fast path for the form of nearly all numbers in files: [-]digits[.digits] with at most 8 digits before the point
// and 19 in total. It reads at most SHORT_SIZE characters. Null for any other form.
#define SHORT_SIZE 40

static inline const char* parse_short(const char* c, double* out)
{
    const bool negative = *c == '-';
    c += negative;
    const char* const first = c;
    uint64_t w = 0;
    while (rbl_is_digit(*c) && c - first < 9)
    {
        w = w * 10 + (uint64_t)(*c++ - '0');
    }
    int64_t count = w != 0 ? c - first : 0; // leading zeros do not count
    int64_t exponent = 0;
    if (c == first || c - first > 8)
    {
        return NULL;
    }
    if (*c == '.')
    {
        const char* const fraction = ++c;
        uint64_t eight = rbl_load_eight(c);
        uint64_t marks = rbl_mark_non_digits(eight);
        for (int i = 0; i < 2 && marks == 0; ++i)
        {
            w = w * rbl_small_powers[8] + rbl_join_eight(eight - RBL_EIGHT('0'));
            c += 8;
            eight = rbl_load_eight(c);
            marks = rbl_mark_non_digits(eight);
        }
        if (marks == 0)
        {
            return NULL;
        }
        const uint32_t rest = rbl_trailing_zeros(marks) / 8;
        w = w * rbl_small_powers[rest] + rbl_join_marked(eight, rest);
        c += rest;
        exponent = fraction - c;
        count -= exponent;
    }
    if (count > MAX_FAST_DIGITS || (*c | 0x20) == 'e')
    {
        return NULL;
    }
    bool done;
    *out = convert_short(w, exponent, count, negative, &done);
    return done ? c : NULL;
}

// A separate function, because the short path is faster without saving the registers it needs.
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static const char*
parse_any(const char* text, const char* end, double* out)
{
    const bool negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    const char* const first = text;
    uint64_t w = 0;
    text = rbl_read_digits(first, end, &w);
    int64_t count = text - first;
    int64_t exponent = 0;
    if (text < end && *text == '.')
    {
        const char* const fraction = text + 1;
        text = rbl_read_digits(fraction, end, &w);
        exponent = fraction - text;
        count -= exponent;
    }
    if (count == 0)
    {
        return parse_special(first, end, negative, out);
    }
    const char* const digits_end = text;
    int64_t explicit_exponent = 0;
    if (text < end && (*text | 0x20) == 'e')
    {
        text = parse_exponent(text, end, &explicit_exponent);
    }
    bool done = false;
    if (count <= MAX_FAST_DIGITS)
    {
        const double value = convert_short(w, exponent + explicit_exponent, count, negative, &done);
        if (done)
        {
            *out = value;
        }
    }
    if (!done)
    {
        const uint64_t bits = convert_long(first, digits_end, explicit_exponent) | (uint64_t)negative << 63;
        memcpy(out, &bits, sizeof *out);
    }
    return text;
}

const char* rbl_parse_double(const char* text, const char* end, double* out)
{
    if (text == NULL || end == NULL || out == NULL)
    {
        return NULL;
    }
    const char* const after = end - text >= SHORT_SIZE ? parse_short(text, out) : NULL;
    return after != NULL ? after : parse_any(text, end, out);
}

const char* rbl_parse_i64(const char* text, const char* end, int64_t* out)
{
    const bool negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    if (text == end || !rbl_is_digit(*text))
    {
        return NULL;
    }
    const uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t value = 0;
    for (; text < end && rbl_is_digit(*text); ++text)
    {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (value > (limit - digit) / 10)
        {
            return NULL;
        }
        value = value * 10 + digit;
    }
    *out = negative ? (int64_t)(~value + 1) : (int64_t)value;
    return text;
}
