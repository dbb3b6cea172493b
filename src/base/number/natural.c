#include "base/number/natural.h"

#include "base/assert.h"

static void append_limb(rblNatural* natural, uint32_t limb)
{
    if (limb != 0)
    {
        RBL_ASSERT(natural->count < RBL_NATURAL_LIMBS);
        natural->limbs[natural->count++] = limb;
    }
}

void rbl_natural_set(rblNatural* natural, uint64_t value)
{
    natural->limbs[0] = (uint32_t)value;
    natural->limbs[1] = (uint32_t)(value >> 32);
    natural->count = value >> 32 != 0 ? 2 : value != 0;
}

void rbl_natural_multiply_add(rblNatural* natural, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < natural->count; ++i)
    {
        carry += (uint64_t)natural->limbs[i] * factor;
        natural->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    append_limb(natural, (uint32_t)carry);
}

void rbl_natural_multiply_pow10(rblNatural* natural, uint32_t exponent)
{
    for (; exponent >= 9; exponent -= 9)
    {
        rbl_natural_multiply_add(natural, 1000000000u, 0);
    }
    for (; exponent > 0; --exponent)
    {
        rbl_natural_multiply_add(natural, 10, 0);
    }
}

void rbl_natural_shift_left(rblNatural* natural, uint32_t bits)
{
    if (natural->count == 0 || bits == 0)
    {
        return;
    }
    rbl_natural_multiply_add(natural, (uint32_t)1 << (bits % 32), 0);
    const uint32_t whole = bits / 32;
    RBL_ASSERT(natural->count + whole <= RBL_NATURAL_LIMBS);
    for (uint32_t i = natural->count; i > 0; --i)
    {
        natural->limbs[i - 1 + whole] = natural->limbs[i - 1];
    }
    for (uint32_t i = 0; i < whole; ++i)
    {
        natural->limbs[i] = 0;
    }
    natural->count += whole;
}

void rbl_natural_subtract(rblNatural* a, const rblNatural* b)
{
    RBL_ASSERT(rbl_natural_compare(a, b) >= 0);
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; ++i)
    {
        const uint64_t taken = (i < b->count ? b->limbs[i] : 0) + borrow;
        borrow = a->limbs[i] < taken;
        a->limbs[i] = (uint32_t)(a->limbs[i] - taken);
    }
    while (a->count > 0 && a->limbs[a->count - 1] == 0)
    {
        a->count -= 1;
    }
}

int rbl_natural_compare(const rblNatural* a, const rblNatural* b)
{
    if (a->count != b->count)
    {
        return a->count < b->count ? -1 : 1;
    }
    for (uint32_t i = a->count; i > 0; --i)
    {
        if (a->limbs[i - 1] != b->limbs[i - 1])
        {
            return a->limbs[i - 1] < b->limbs[i - 1] ? -1 : 1;
        }
    }
    return 0;
}
