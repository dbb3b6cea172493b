// Solution with rounded factors. Most of the time of a solution is spent on reading the factors from memory; half the
// bytes take half the time. The result is accurate to about 1e-5: a preconditioner, with which one step of conjugate
// gradients is mostly enough. Sums are in double precision: in single precision the error would be 1e-3 and a second
// step necessary.
#include "base/error.h"
#include "fem/cholesky.h"
#include "math/simd_double.h"
#include <string.h>

rblResult rbl_cholesky_round(rblCholesky* factor)
{
    if (!rbl_array_resize(&factor->singles, factor->values.count))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < factor->values.count; ++i)
    {
        factor->singles.data[i] = (float)factor->values.data[i];
    }
    return RBL_OK;
}

// y -= a y0 + b y1 + c y2, where b and c are the columns after a.
static void subtract(const float* a, uint32_t rows, uint32_t count, const double solved[3],
                     double* restrict y)
{
    const float *b = a + rows, *c = b + rows;
    const rblDouble2 y0 = rbl_splat_double2(solved[0]), y1 = rbl_splat_double2(solved[1]),
                     y2 = rbl_splat_double2(solved[2]);
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
    {
        rblDouble2 al, ah, bl, bh, cl, ch;
        rbl_widen4(a + i, &al, &ah);
        rbl_widen4(b + i, &bl, &bh);
        rbl_widen4(c + i, &cl, &ch);
        const rblDouble2 low = rbl_add_double2(
            rbl_add_double2(rbl_mul_double2(al, y0), rbl_mul_double2(bl, y1)), rbl_mul_double2(cl, y2));
        const rblDouble2 high = rbl_add_double2(
            rbl_add_double2(rbl_mul_double2(ah, y0), rbl_mul_double2(bh, y1)), rbl_mul_double2(ch, y2));
        rbl_store_double2(y + i, rbl_sub_double2(rbl_load_double2(y + i), low));
        rbl_store_double2(y + i + 2, rbl_sub_double2(rbl_load_double2(y + i + 2), high));
    }
    for (; i < count; ++i)
    {
        y[i] -= (double)a[i] * solved[0] + (double)b[i] * solved[1] + (double)c[i] * solved[2];
    }
}

// Three sums of products, each in four lanes.
typedef struct LaneSum
{
    rblDouble2 low, high;
} LaneSum;

static inline void add_products(LaneSum* sum, const float* a, rblDouble2 low, rblDouble2 high)
{
    rblDouble2 al, ah;
    rbl_widen4(a, &al, &ah);
    sum->low = rbl_add_double2(sum->low, rbl_mul_double2(al, low));
    sum->high = rbl_add_double2(sum->high, rbl_mul_double2(ah, high));
}

static double total(const LaneSum* sum)
{
    double lanes[2];
    rbl_store_double2(lanes, rbl_add_double2(sum->low, sum->high));
    return lanes[0] + lanes[1];
}

static void multiply(const float* a, uint32_t rows, uint32_t count, const double* y, double out[3])
{
    const float *b = a + rows, *c = b + rows;
    const rblDouble2 zero = rbl_splat_double2(0.0);
    LaneSum s0 = {zero, zero}, s1 = s0, s2 = s0;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
    {
        const rblDouble2 low = rbl_load_double2(y + i), high = rbl_load_double2(y + i + 2);
        add_products(&s0, a + i, low, high);
        add_products(&s1, b + i, low, high);
        add_products(&s2, c + i, low, high);
    }
    out[0] = total(&s0);
    out[1] = total(&s1);
    out[2] = total(&s2);
    for (; i < count; ++i)
    {
        out[0] += (double)a[i] * y[i];
        out[1] += (double)b[i] * y[i];
        out[2] += (double)c[i] * y[i];
    }
}

// Three columns (one node) at a time: the triangle first, then all rows below it.
static void forward(const float* panel, uint32_t rows, uint32_t own, double* y)
{
    for (uint32_t j = 0; j < own; j += 3)
    {
        const float* a = panel + (size_t)j * rows;
        const float *b = a + rows, *c = b + rows;
        y[j] /= (double)a[j];
        y[j + 1] = (y[j + 1] - (double)a[j + 1] * y[j]) / (double)b[j + 1];
        y[j + 2] = (y[j + 2] - (double)a[j + 2] * y[j] - (double)b[j + 2] * y[j + 1]) / (double)c[j + 2];
        const double solved[3] = {y[j], y[j + 1], y[j + 2]};
        if (j + 3 < rows)
        {
            subtract(a + j + 3, rows, rows - j - 3, solved, y + j + 3);
        }
    }
}

static void backward(const float* panel, uint32_t rows, uint32_t own, double* y)
{
    for (uint32_t j = own; j > 0;)
    {
        j -= 3;
        const float* a = panel + (size_t)j * rows;
        const float *b = a + rows, *c = b + rows;
        double sums[3] = {0.0, 0.0, 0.0};
        if (j + 3 < rows)
        {
            multiply(a + j + 3, rows, rows - j - 3, y + j + 3, sums);
        }
        y[j + 2] = (y[j + 2] - sums[2]) / (double)c[j + 2];
        y[j + 1] = (y[j + 1] - sums[1] - (double)b[j + 2] * y[j + 2]) / (double)b[j + 1];
        y[j] = (y[j] - sums[0] - (double)a[j + 1] * y[j + 1] - (double)a[j + 2] * y[j + 2]) / (double)a[j];
    }
}

// The own nodes of a front, which are contiguous, and the nodes of later fronts that they are coupled to.
static void gather(const rblCholesky* factor, const rblFront* front, const rblVec3d* x, rblVec3d* out)
{
    memcpy(out, x + front->first, sizeof *x * front->count);
    for (uint32_t i = 0; i < front->row_count; ++i)
    {
        out[front->count + i] = x[factor->rows.data[front->row_first + i]];
    }
}

static void scatter(const rblCholesky* factor, const rblFront* front, bool later, const rblVec3d* from,
                    rblVec3d* x)
{
    memcpy(x + front->first, from, sizeof *x * front->count);
    for (uint32_t i = 0; later && i < front->row_count; ++i)
    {
        x[factor->rows.data[front->row_first + i]] = from[front->count + i];
    }
}

static bool is_zero(const rblVec3d* x, uint32_t count)
{
    bool zero = true;
    for (uint32_t i = 0; i < count && zero; ++i)
    {
        zero = x[i].x == 0.0 && x[i].y == 0.0 && x[i].z == 0.0;
    }
    return zero;
}

static void solve_front(const rblCholesky* factor, const rblFront* front, bool back, rblVec3d* x,
                        rblVec3d* scratch)
{
    const float* panel = factor->singles.data + front->panel;
    const uint32_t rows = 3 * (front->count + front->row_count), own = 3 * front->count;
    if (!back && is_zero(x + front->first, front->count))
    {
        return; // nothing changes
    }
    gather(factor, front, x, scratch);
    (back ? backward : forward)(panel, rows, own, &scratch->x);
    scatter(factor, front, !back, scratch, x);
}

void rbl_cholesky_solve_rounded(const rblCholesky* factor, rblVec3d* x, rblVec3d* scratch)
{
    const size_t count = factor->order.count;
    rblVec3d* inner = scratch + count; // of the current front
    for (size_t p = 0; p < count; ++p)
    {
        scratch[p] = x[factor->order.data[p]];
    }
    for (uint32_t f = 0; f < factor->fronts.count; ++f)
    {
        solve_front(factor, &factor->fronts.data[f], false, scratch, inner);
    }
    for (uint32_t f = (uint32_t)factor->fronts.count; f-- > 0;)
    {
        solve_front(factor, &factor->fronts.data[f], true, scratch, inner);
    }
    for (size_t p = 0; p < count; ++p)
    {
        x[factor->order.data[p]] = scratch[p];
    }
}
