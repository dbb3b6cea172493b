// Solving with the factors: forward through the fronts, then back.
#include "fem/cholesky.h"

size_t rbl_cholesky_scratch(const rblCholesky* factor, uint32_t count)
{
    (void)count;
    return factor->most_rows;
}

static void gather(const rblCholesky* factor, const rblFront* front, const rblVec3d* x, double* out)
{
    for (uint32_t i = 0; i < front->count + front->row_count; ++i)
    {
        const uint32_t place =
            i < front->count ? front->first + i : factor->rows.data[front->row_first + i - front->count];
        const rblVec3d v = x[factor->order.data[place]];
        out[3 * (size_t)i] = v.x;
        out[3 * (size_t)i + 1] = v.y;
        out[3 * (size_t)i + 2] = v.z;
    }
}

static void scatter(const rblCholesky* factor, const rblFront* front, uint32_t count, const double* from,
                    rblVec3d* x)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t place =
            i < front->count ? front->first + i : factor->rows.data[front->row_first + i - front->count];
        x[factor->order.data[place]] =
            rbl_vec3d(from[3 * (size_t)i], from[3 * (size_t)i + 1], from[3 * (size_t)i + 2]);
    }
}

// Three columns, one node, at a time: the triangle first, then everything below.
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

void rbl_cholesky_solve(const rblCholesky* factor, rblVec3d* const* x, uint32_t count, double* scratch)
{
    for (uint32_t f = 0; f < factor->fronts.count; ++f)
    {
        const rblFront* front = &factor->fronts.data[f];
        const uint32_t rows = 3 * (front->count + front->row_count);
        for (uint32_t k = 0; k < count; ++k)
        {
            gather(factor, front, x[k], scratch);
            forward(factor->values.data + front->panel, rows, 3 * front->count, scratch);
            scatter(factor, front, front->count + front->row_count, scratch, x[k]);
        }
    }
    for (uint32_t f = (uint32_t)factor->fronts.count; f-- > 0;)
    {
        const rblFront* front = &factor->fronts.data[f];
        const uint32_t rows = 3 * (front->count + front->row_count);
        for (uint32_t k = 0; k < count; ++k)
        {
            gather(factor, front, x[k], scratch);
            backward(factor->values.data + front->panel, rows, 3 * front->count, scratch);
            scatter(factor, front, front->count, scratch, x[k]);
        }
    }
}
