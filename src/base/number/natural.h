// Non-negative integers of up to 4608 bits: enough to compare any decimal text with any double exactly.
#ifndef RBL_BASE_NATURAL_H
#define RBL_BASE_NATURAL_H

#include <stdint.h>

// Limbs of 32 bits.
#define RBL_NATURAL_LIMBS 144

typedef struct rblNatural
{
    uint32_t count;                    // limbs in use; 0 for the number zero
    uint32_t limbs[RBL_NATURAL_LIMBS]; // lowest first
} rblNatural;

void rbl_natural_set(rblNatural* natural, uint64_t value);

// natural = natural * factor + addend
void rbl_natural_multiply_add(rblNatural* natural, uint32_t factor, uint32_t addend);

void rbl_natural_multiply_pow10(rblNatural* natural, uint32_t exponent);
void rbl_natural_shift_left(rblNatural* natural, uint32_t bits);

// a -= b; a >= b.
void rbl_natural_subtract(rblNatural* a, const rblNatural* b);

// -1, 0 or 1.
int rbl_natural_compare(const rblNatural* a, const rblNatural* b);

#endif
