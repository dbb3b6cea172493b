// The exact predicate of cells: on which side of a fourth cell the meeting point of four others is.
//
// Let the rows (d_r, e_r) be the coefficients of a, b, c, m relative to cell i. The point x where i, a, b, c meet solves
// d_r . x + e_r = 0 for r = a, b, c, and by Cramer's rule
//   f_m(x) - f_i(x) = det[d e] / det[d_a d_b d_c],   the first over all four rows.
// A tie is broken by offsets that are smaller by e_k, e_0 >> e_1 >> ... (Edelsbrunner and Muecke 1990, "Simulation of
// Simplicity"). The determinant is linear in the offsets, so the cell with the lowest index whose coefficient is not
// zero decides. The coefficient of m is det[d_a d_b d_c], which is never zero.
#include "cut/cells/cells.h"
#include "math/big_integer.h"

#define SPACE_LIMBS 3072 // limbs of all integers of one decision
typedef struct ExactRow
{
    rblBigInteger x, y, z, e;
} ExactRow;

static int lower_exponent(int exponent, double x)
{
    const int own = x != 0.0 ? rbl_big_exponent(x) : exponent;
    return own < exponent ? own : exponent;
}

static void exact_rows(rblBigSpace* space, const rblCellRow rows[4], ExactRow out[4])
{
    int gradient = rbl_big_exponent(0x1.0p1023);
    int offset = gradient;
    for (int r = 0; r < 4; ++r)
    {
        gradient = lower_exponent(gradient, rows[r].gradient.x);
        gradient = lower_exponent(gradient, rows[r].gradient.y);
        gradient = lower_exponent(gradient, rows[r].gradient.z);
        offset = lower_exponent(offset, rows[r].offset);
    }
    for (int r = 0; r < 4; ++r)
    {
        out[r] = (ExactRow){rbl_big_from_double(space, rows[r].gradient.x, gradient),
                            rbl_big_from_double(space, rows[r].gradient.y, gradient),
                            rbl_big_from_double(space, rows[r].gradient.z, gradient),
                            rbl_big_from_double(space, rows[r].offset, offset)};
    }
}

// ax * by - ay * bx
static rblBigInteger minor2(rblBigSpace* space, const ExactRow* a, const ExactRow* b)
{
    const rblBigInteger plus = rbl_big_multiply(space, a->x, b->y);
    return rbl_big_subtract(space, plus, rbl_big_multiply(space, a->y, b->x));
}

// det[d_a d_b d_c]
static rblBigInteger minor3(rblBigSpace* space, const ExactRow* a, const ExactRow* b, const ExactRow* c)
{
    const rblBigInteger at_a = rbl_big_multiply(space, a->z, minor2(space, b, c));
    const rblBigInteger at_b = rbl_big_multiply(space, b->z, minor2(space, c, a));
    const rblBigInteger at_c = rbl_big_multiply(space, c->z, minor2(space, a, b));
    return rbl_big_add(space, rbl_big_add(space, at_a, at_b), at_c);
}

// The coefficients of e_a, e_b, e_c, e_m in det[d e].
static void cofactors(rblBigSpace* space, const ExactRow rows[4], rblBigInteger out[4])
{
    out[0] = minor3(space, &rows[1], &rows[3], &rows[2]);
    out[1] = minor3(space, &rows[0], &rows[2], &rows[3]);
    out[2] = minor3(space, &rows[0], &rows[3], &rows[1]);
    out[3] = minor3(space, &rows[0], &rows[1], &rows[2]);
}

// Sign of the sum of -e_k times its coefficient over all cells. The coefficient of e_i is minus the sum of the others.
static int tie_sign(rblBigSpace* space, const rblBigInteger factors[4], const uint32_t cell_indices[4],
                    uint32_t i, uint32_t cell_count)
{
    rblBigInteger own = {NULL, 0, 0};
    uint32_t first = UINT32_MAX;
    int sign = 0;
    for (int r = 0; r < 4; ++r)
    {
        if (cell_indices[r] >= cell_count)
        {
            continue;
        }
        own = rbl_big_subtract(space, own, factors[r]);
        if (factors[r].sign != 0 && cell_indices[r] < first)
        {
            first = cell_indices[r];
            sign = -factors[r].sign;
        }
    }
    return own.sign != 0 && i < first ? -own.sign : sign;
}

int rbl_cells_side(const rblCells* cells, uint32_t i, const uint32_t abc[3], int orientation, uint32_t other)
{
    const uint32_t cell_indices[4] = {abc[0], abc[1], abc[2], other};
    rblCellRow rows[4];
    for (int r = 0; r < 4; ++r)
    {
        rows[r] = rbl_cell_row(cells, i, cell_indices[r]);
    }
    uint32_t limbs[SPACE_LIMBS];
    rblBigSpace space = {limbs, SPACE_LIMBS, 0};
    ExactRow exact[4];
    exact_rows(&space, rows, exact);
    rblBigInteger factors[4];
    cofactors(&space, exact, factors);
    rblBigInteger determinant = {NULL, 0, 0};
    for (int r = 0; r < 4; ++r)
    {
        determinant = rbl_big_add(&space, determinant, rbl_big_multiply(&space, exact[r].e, factors[r]));
    }
    const int sign =
        determinant.sign != 0 ? determinant.sign : tie_sign(&space, factors, cell_indices, i, cells->count);
    return orientation > 0 ? sign : -sign;
}
