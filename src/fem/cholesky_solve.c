// Solution with the factors: forward through the fronts, then back. Most of the time is spent on reading the factors
// from memory, so several right-hand sides at once cost little more than one. The sums of each are the same, in the
// same order, as if it were solved alone.
#include "fem/cholesky.h"

#include <string.h>

#define WIDE 4 // right-hand sides at once

size_t rbl_cholesky_scratch(const rblCholesky* factor, uint32_t count)
{
    return (size_t)factor->max_rows * (count > 1 ? WIDE : 1);
}

static uint32_t place_of(const rblCholesky* factor, const rblFront* front, uint32_t i)
{
    return i < front->count ? front->first + i : factor->rows.data[front->row_first + i - front->count];
}

// Row by row, with the numbers of all right-hand sides together.
static void gather(const rblCholesky* factor, const rblFront* front, const rblVec3d* x, uint32_t width,
                   double* out)
{
    for (uint32_t i = 0; i < front->count + front->row_count; ++i, out += 3 * (size_t)width)
    {
        const rblVec3d v = x[factor->order.data[place_of(factor, front, i)]];
        out[0] = v.x;
        out[width] = v.y;
        out[2 * (size_t)width] = v.z;
    }
}

static void scatter(const rblCholesky* factor, const rblFront* front, uint32_t count, const double* from,
                    uint32_t width, rblVec3d* x)
{
    for (uint32_t i = 0; i < count; ++i, from += 3 * (size_t)width)
    {
        x[factor->order.data[place_of(factor, front, i)]] =
            rbl_vec3d(from[0], from[width], from[2 * (size_t)width]);
    }
}

// Three columns (one node) at a time: the triangle first, then all rows below it.
static void forward(const double* panel, uint32_t rows, uint32_t own, double* restrict y)
{
    for (uint32_t j = 0; j < own; j += 3)
    {
        const double* restrict a = panel + (size_t)j * rows;
        const double* restrict b = a + rows;
        const double* restrict c = b + rows;
        const double y0 = y[j] / a[j];
        const double y1 = (y[j + 1] - a[j + 1] * y0) / b[j + 1];
        const double y2 = (y[j + 2] - a[j + 2] * y0 - b[j + 2] * y1) / c[j + 2];
        y[j] = y0;
        y[j + 1] = y1;
        y[j + 2] = y2;
        for (uint32_t i = j + 3; i < rows; ++i)
        {
            y[i] -= a[i] * y0 + b[i] * y1 + c[i] * y2;
        }
    }
}

static void backward(const double* panel, uint32_t rows, uint32_t own, double* restrict y)
{
    for (uint32_t j = own; j > 0;)
    {
        j -= 3;
        const double* restrict a = panel + (size_t)j * rows;
        const double* restrict b = a + rows;
        const double* restrict c = b + rows;
        double s0 = 0.0, s1 = 0.0, s2 = 0.0;
        for (uint32_t i = j + 3; i < rows; ++i)
        {
            s0 += a[i] * y[i];
            s1 += b[i] * y[i];
            s2 += c[i] * y[i];
        }
        const double y2 = (y[j + 2] - s2) / c[j + 2];
        const double y1 = (y[j + 1] - s1 - b[j + 2] * y2) / b[j + 1];
        y[j] = (y[j] - s0 - a[j + 1] * y1 - a[j + 2] * y2) / a[j];
        y[j + 1] = y1;
        y[j + 2] = y2;
    }
}

static void forward_wide(const double* panel, uint32_t rows, uint32_t own, double* restrict y)
{
    for (uint32_t j = 0; j < own; j += 3)
    {
        const double* restrict a = panel + (size_t)j * rows;
        const double* restrict b = a + rows;
        const double* restrict c = b + rows;
        double* top = y + (size_t)WIDE * j;
        double solved[3 * WIDE];
        for (uint32_t k = 0; k < WIDE; ++k)
        {
            const double y0 = top[k] / a[j];
            const double y1 = (top[WIDE + k] - a[j + 1] * y0) / b[j + 1];
            solved[k] = y0;
            solved[WIDE + k] = y1;
            solved[2 * WIDE + k] = (top[2 * WIDE + k] - a[j + 2] * y0 - b[j + 2] * y1) / c[j + 2];
        }
        memcpy(top, solved, sizeof solved);
        for (uint32_t i = j + 3; i < rows; ++i)
        {
            double* out = y + (size_t)WIDE * i;
            for (uint32_t k = 0; k < WIDE; ++k)
            {
                out[k] -= a[i] * solved[k] + b[i] * solved[WIDE + k] + c[i] * solved[2 * WIDE + k];
            }
        }
    }
}

static void backward_wide(const double* panel, uint32_t rows, uint32_t own, double* restrict y)
{
    for (uint32_t j = own; j > 0;)
    {
        j -= 3;
        const double* restrict a = panel + (size_t)j * rows;
        const double* restrict b = a + rows;
        const double* restrict c = b + rows;
        double s0[WIDE] = {0.0}, s1[WIDE] = {0.0}, s2[WIDE] = {0.0};
        for (uint32_t i = j + 3; i < rows; ++i)
        {
            const double* from = y + (size_t)WIDE * i;
            for (uint32_t k = 0; k < WIDE; ++k)
            {
                s0[k] += a[i] * from[k];
                s1[k] += b[i] * from[k];
                s2[k] += c[i] * from[k];
            }
        }
        double* top = y + (size_t)WIDE * j;
        for (uint32_t k = 0; k < WIDE; ++k)
        {
            const double y2 = (top[2 * WIDE + k] - s2[k]) / c[j + 2];
            const double y1 = (top[WIDE + k] - s1[k] - b[j + 2] * y2) / b[j + 1];
            top[k] = (top[k] - s0[k] - a[j + 1] * y1 - a[j + 2] * y2) / a[j];
            top[WIDE + k] = y1;
            top[2 * WIDE + k] = y2;
        }
    }
}

// Solve up to WIDE right-hand sides.
static void solve_front(const rblCholesky* factor, const rblFront* front, bool back, rblVec3d* const* x,
                        uint32_t count, double* scratch)
{
    const double* panel = factor->values.data + front->panel;
    const uint32_t nodes = front->count + front->row_count, rows = 3 * nodes, own = 3 * front->count;
    const uint32_t width = count > 1 ? WIDE : 1;
    if (count > 1 && count < WIDE)
    {
        memset(scratch, 0, sizeof *scratch * WIDE * rows);
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        gather(factor, front, x[k], width, scratch + k);
    }
    (back ? (count > 1 ? backward_wide : backward) : (count > 1 ? forward_wide : forward))(panel, rows, own,
                                                                                           scratch);
    for (uint32_t k = 0; k < count; ++k)
    {
        scatter(factor, front, back ? front->count : nodes, scratch + k, width, x[k]);
    }
}

void rbl_cholesky_solve(const rblCholesky* factor, rblVec3d* const* x, uint32_t count, double* scratch)
{
    for (uint32_t first = 0; first < count; first += WIDE)
    {
        const uint32_t some = count - first < WIDE ? count - first : WIDE;
        for (uint32_t f = 0; f < factor->fronts.count; ++f)
        {
            solve_front(factor, &factor->fronts.data[f], false, x + first, some, scratch);
        }
        for (uint32_t f = (uint32_t)factor->fronts.count; f-- > 0;)
        {
            solve_front(factor, &factor->fronts.data[f], true, x + first, some, scratch);
        }
    }
}
