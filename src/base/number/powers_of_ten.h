// Powers of ten as 128-bit significands, for reading and printing numbers.
#ifndef RBL_BASE_POWERS_OF_TEN_H
#define RBL_BASE_POWERS_OF_TEN_H

#include <stdint.h>

// Range of the table. 19 digits times 10^-343 round to 0; Schubfach needs powers up to 10^324.
#define RBL_POWER_OF_TEN_MIN (-342)
#define RBL_POWER_OF_TEN_MAX 324

// 10^k = (high * 2^64 + low + r) * 2^(rbl_floor_log2_pow10(k) - 127) with 0 <= r < 1, and the top bit of high set.
// r = 0 for 0 <= k <= 55; for k <= 27 low is 0 as well.
typedef struct rblPowerOfTen
{
    uint64_t high, low;
} rblPowerOfTen;

extern const rblPowerOfTen rbl_powers_of_ten[RBL_POWER_OF_TEN_MAX - RBL_POWER_OF_TEN_MIN + 1];

// The largest k for which the table is exact (5^55 < 2^128), and for which `high` alone is (5^27 < 2^64).
#define RBL_POWER_OF_TEN_EXACT      55
#define RBL_POWER_OF_TEN_EXACT_HIGH 27

// floor of n / 2^bits, also for negative n, whose right shift C leaves to the compiler.
static inline int32_t rbl_floor_shift(int32_t n, uint32_t bits)
{
    return n >= 0 ? (int32_t)((uint32_t)n >> bits) : -1 - (int32_t)(~(uint32_t)n >> bits);
}

// floor(log2(10^k)) for |k| <= 342: 217706 / 2^16 is log2(10) to nine digits.
static inline int32_t rbl_floor_log2_pow10(int32_t k)
{
    return rbl_floor_shift(k * 217706, 16);
}

#endif
