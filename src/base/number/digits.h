// Decimal digits, eight at a time: the inner loop of all number readers.
#ifndef RBL_BASE_DIGITS_H
#define RBL_BASE_DIGITS_H

#include "base/wide.h"
#include <stdbool.h>
#include <stdint.h>

static const uint64_t rbl_small_powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

static inline bool rbl_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline uint64_t rbl_load_eight(const char* text)
{
    const unsigned char* t = (const unsigned char*)text;
    return (uint64_t)t[0] | (uint64_t)t[1] << 8 | (uint64_t)t[2] << 16 | (uint64_t)t[3] << 24 |
           (uint64_t)t[4] << 32 | (uint64_t)t[5] << 40 | (uint64_t)t[6] << 48 | (uint64_t)t[7] << 56;
}

#define RBL_EIGHT(byte) ((uint64_t)(byte)*0x0101010101010101u)

// The lowest set bit is the top bit of the first byte that is not a digit (bytes above it can be marked wrongly).
static inline uint64_t rbl_mark_non_digits(uint64_t eight)
{
    return ((eight - RBL_EIGHT('0')) | (eight + RBL_EIGHT(0x7F - '9'))) & RBL_EIGHT(0x80);
}

// Eight digit values, the first in the lowest byte, to a number. First pairs p0 .. p3 in every other byte; then, in the
// upper halves of two products, 10^6 p0 + 10^2 p2 and 10^4 p1 + p3.
static inline uint64_t rbl_join_eight(uint64_t digits)
{
    const uint64_t mask = 0x000000FF000000FFu;
    const uint64_t pairs = digits * 10 + (digits >> 8);
    const uint64_t even = (pairs & mask) * (((uint64_t)1000000 << 32) + 100);
    const uint64_t odd = (pairs >> 16 & mask) * (((uint64_t)10000 << 32) + 1);
    return (even + odd) >> 32;
}

// The number of the digits before the first mark of eight characters.
static inline uint64_t rbl_join_marked(uint64_t eight, uint32_t count)
{
    // Shift up, so that zeros precede the digits. In two steps, so that no digit at all is not a special case.
    return rbl_join_eight((eight - RBL_EIGHT('0')) << (56 - 8 * count) << 8);
}

// Append the digits at `text` to *value (modulo 2^64) and return their end.
static inline const char* rbl_read_digits(const char* text, const char* end, uint64_t* value)
{
    uint64_t sum = *value;
    while (end - text >= 8)
    {
        const uint64_t eight = rbl_load_eight(text);
        const uint64_t marks = rbl_mark_non_digits(eight);
        if (marks == 0)
        {
            sum = sum * rbl_small_powers[8] + rbl_join_eight(eight - RBL_EIGHT('0'));
            text += 8;
            continue;
        }
        const uint32_t count = rbl_trailing_zeros(marks) / 8;
        sum = sum * rbl_small_powers[count] + rbl_join_marked(eight, count);
        *value = sum;
        return text + count;
    }
    while (text < end && rbl_is_digit(*text))
    {
        sum = sum * 10 + (uint64_t)(*text++ - '0');
    }
    *value = sum;
    return text;
}

#endif
