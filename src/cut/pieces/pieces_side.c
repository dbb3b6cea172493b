// Let u = f_1 - f_0 and v = f_2 - f_0 be the functions of the cells that meet at the point, and d = f_b - f_a. All are
// linear on the triangle p, q, r, so the point where u = v = 0 has the barycentric weights
//   (u_q v_r - u_r v_q, u_r v_p - u_p v_r, u_p v_q - u_q v_p) / their sum,
// and d at this point is the sum of weights times d_p, d_q, d_r. On an edge p, q the weights are (u_q, -u_p); at a
// vertex the weight is 1. Coefficients of cells are exact in double (cells.h), and positions are given. So everything
// is exact in integers.
#include "cut/pieces/pieces_side.h"

#include "math/big_integer.h"
#include <stddef.h>

// A value f_b - f_a has at most the range of two doubles, 132 limbs. The memory has 9 values, 3 minors of twice and 6
// products of three times this length, and scratch memory for one value.
#define SPACE_LIMBS 12288

typedef struct Units
{
    int gradient, length; // exponents: values are multiples of 2^(gradient + length)
} Units;

static int lower_exponent(int exponent, double x)
{
    const int own = x != 0.0 ? rbl_big_exponent(x) : exponent;
    return own < exponent ? own : exponent;
}

static int lower_exponent3(int exponent, rblVec3d a)
{
    return lower_exponent(lower_exponent(lower_exponent(exponent, a.x), a.y), a.z);
}

static Units common_units(const rblImplicitPoint* point, const rblCellRow rows[3], uint32_t row_count)
{
    const int highest = rbl_big_exponent(0x1.0p1023);
    Units units = {highest, highest};
    int offset = highest;
    for (uint32_t r = 0; r < row_count; ++r)
    {
        units.gradient = lower_exponent3(units.gradient, rows[r].gradient);
        offset = lower_exponent(offset, rows[r].offset);
    }
    for (uint32_t c = 0; c < point->corner_count; ++c)
    {
        units.length = lower_exponent3(units.length, point->corners[c]);
    }
    if (offset - units.length < units.gradient)
    {
        units.gradient = offset - units.length;
    }
    return units;
}

static rblBigInteger product(rblBigSpace* space, double gradient, double length, Units units)
{
    const rblBigInteger g = rbl_big_from_double(space, gradient, units.gradient);
    return rbl_big_multiply(space, g, rbl_big_from_double(space, length, units.length));
}

// Value of the row at a position, stored in `kept`; scratch memory is released.
static rblBigInteger row_value(rblBigSpace* kept, const rblCellRow* row, rblVec3d at, Units units)
{
    uint32_t limbs[SPACE_LIMBS / 6];
    rblBigSpace space = {limbs, SPACE_LIMBS / 6, 0};
    rblBigInteger sum = rbl_big_from_double(&space, row->offset, units.gradient + units.length);
    sum = rbl_big_add(&space, sum, product(&space, row->gradient.x, at.x, units));
    sum = rbl_big_add(&space, sum, product(&space, row->gradient.y, at.y, units));
    sum = rbl_big_add(&space, sum, product(&space, row->gradient.z, at.z, units));
    return rbl_big_copy(kept, sum);
}

static rblBigInteger minor2(rblBigSpace* space, rblBigInteger a, rblBigInteger b, rblBigInteger c,
                            rblBigInteger d)
{
    const rblBigInteger plus = rbl_big_multiply(space, a, d);
    return rbl_big_subtract(space, plus, rbl_big_multiply(space, b, c));
}

static int sign_of_sum(rblBigSpace* space, const rblBigInteger* terms, uint32_t count)
{
    rblBigInteger sum = terms[0];
    for (uint32_t i = 1; i < count; ++i)
    {
        sum = rbl_big_add(space, sum, terms[i]);
    }
    return sum.sign;
}

int rbl_implicit_side(const rblCells* cells, const rblImplicitPoint* point, uint32_t a, uint32_t b)
{
    const uint32_t count = point->corner_count;
    rblCellRow rows[3] = {rbl_cell_row(cells, a, b)};
    for (uint32_t r = 1; r < count; ++r)
    {
        rows[r] = rbl_cell_row(cells, point->cells[0], point->cells[r]);
    }
    const Units units = common_units(point, rows, count);
    uint32_t limbs[SPACE_LIMBS];
    rblBigSpace space = {limbs, SPACE_LIMBS, 0};
    rblBigInteger values[3][3];
    for (uint32_t r = 0; r < count; ++r)
    {
        for (uint32_t c = 0; c < count; ++c)
        {
            values[r][c] = row_value(&space, &rows[r], point->corners[c], units);
        }
    }
    if (count == 1)
    {
        return values[0][0].sign;
    }
    rblBigInteger weights[3] = {{NULL, 0, 0}}, terms[3] = {{NULL, 0, 0}};
    for (uint32_t c = 0; c < count; ++c)
    {
        const uint32_t next = (c + 1) % count, last = (c + 2) % count;
        weights[c] = values[1][next];
        weights[c].sign = count == 2 && c == 1 ? -weights[c].sign : weights[c].sign;
        if (count == 3)
        {
            weights[c] = minor2(&space, values[1][next], values[1][last], values[2][next], values[2][last]);
        }
        terms[c] = rbl_big_multiply(&space, weights[c], values[0][c]);
    }
    return sign_of_sum(&space, terms, count) * sign_of_sum(&space, weights, count);
}
