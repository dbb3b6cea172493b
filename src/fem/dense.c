#include "fem/dense.h"

#include <math.h>

#define TILE       4      // rows and columns of the register kernel
#define TILE_RANGE 8      // rows of tiles per job, at least
#define WORTH      200000 // multiplications below which one worker is faster than several

size_t rbl_dense_scratch(uint32_t rows)
{
    return ((size_t)rows + TILE) * RBL_DENSE_STRIP;
}

// Rows in groups of four, so that a tile reads contiguous memory: [group][column][row].
static void pack(const double* a, uint32_t stride, uint32_t rows, uint32_t columns, double* out)
{
    for (uint32_t i = 0; i < rows; i += TILE)
    {
        const uint32_t count = rows - i < TILE ? rows - i : TILE;
        for (uint32_t k = 0; k < columns; ++k)
        {
            const double* from = a + (size_t)k * stride + i;
            for (uint32_t r = 0; r < TILE; ++r)
            {
                out[r] = r < count ? from[r] : 0.0;
            }
            out += TILE;
        }
    }
}

typedef struct Subtraction
{
    const double* packed;
    uint32_t rows, columns, width;
    double* c;
    uint32_t stride;
} Subtraction;

// Sixteen sums at the same time, each over the columns in order.
static void tile_product(const double* restrict a, const double* restrict b, uint32_t columns,
                         double sums[TILE * TILE])
{
    double s[TILE * TILE] = {0.0};
    for (uint32_t k = 0; k < columns; ++k, a += TILE, b += TILE)
    {
        for (uint32_t j = 0; j < TILE; ++j)
        {
            for (uint32_t i = 0; i < TILE; ++i)
            {
                s[TILE * j + i] += a[i] * b[j];
            }
        }
    }
    for (uint32_t i = 0; i < TILE * TILE; ++i)
    {
        sums[i] = s[i];
    }
}

static void subtract_tile(const Subtraction* job, uint32_t row, uint32_t column)
{
    double sums[TILE * TILE];
    tile_product(job->packed + (size_t)row * job->columns, job->packed + (size_t)column * job->columns,
                 job->columns, sums);
    const uint32_t height = job->rows - row < TILE ? job->rows - row : TILE;
    const uint32_t width = job->width - column < TILE ? job->width - column : TILE;
    for (uint32_t j = 0; j < width; ++j)
    {
        double* c = job->c + (size_t)(column + j) * job->stride + row;
        for (uint32_t i = 0; i < height; ++i)
        {
            c[i] -= sums[TILE * j + i];
        }
    }
}

static void subtract_rows(rblRange range, void* context)
{
    const Subtraction* job = context;
    for (uint32_t row = range.begin * TILE; row < range.end * TILE; row += TILE)
    {
        for (uint32_t column = 0; column <= row && column < job->width; column += TILE)
        {
            subtract_tile(job, row, column);
        }
    }
}

void rbl_dense_subtract(const double* a, uint32_t stride, uint32_t rows, uint32_t columns, double* c,
                        uint32_t c_stride, uint32_t width, double* scratch, rblJobs* jobs)
{
    const uint32_t groups = (rows + TILE - 1) / TILE;
    for (uint32_t k = 0; k < columns; k += RBL_DENSE_STRIP)
    {
        const uint32_t count = columns - k < RBL_DENSE_STRIP ? columns - k : RBL_DENSE_STRIP;
        pack(a + (size_t)k * stride, stride, rows, count, scratch);
        Subtraction job = {scratch, rows, count, width, c, c_stride};
        if ((double)rows * width * count < WORTH)
        {
            subtract_rows((rblRange){0, groups, 0, 0}, &job);
        }
        else
        {
            rbl_parallel_for(jobs, groups, TILE_RANGE, subtract_rows, &job);
        }
    }
}

// Factorise a strip of columns from the diagonal down, column by column.
static bool factor_strip(double* strip, uint32_t stride, uint32_t rows, uint32_t columns)
{
    for (uint32_t j = 0; j < columns; ++j)
    {
        double* restrict column = strip + (size_t)j * stride;
        const double pivot = column[j];
        if (!(pivot > 0.0) || !(pivot < (double)INFINITY))
        {
            return false;
        }
        const double inverse = 1.0 / sqrt(pivot);
        for (uint32_t i = j; i < rows; ++i)
        {
            column[i] *= inverse;
        }
        for (uint32_t k = j + 1; k < columns; ++k)
        {
            double* restrict later = strip + (size_t)k * stride;
            const double factor = column[k];
            for (uint32_t i = k; i < rows; ++i)
            {
                later[i] -= factor * column[i];
            }
        }
    }
    return true;
}

bool rbl_dense_factor(double* panel, uint32_t rows, uint32_t columns, double* scratch, rblJobs* jobs)
{
    for (uint32_t k = 0; k < columns; k += RBL_DENSE_STRIP)
    {
        const uint32_t count = columns - k < RBL_DENSE_STRIP ? columns - k : RBL_DENSE_STRIP;
        double* strip = panel + (size_t)k * rows + k;
        if (!factor_strip(strip, rows, rows - k, count))
        {
            return false;
        }
        const uint32_t next = k + count;
        rbl_dense_subtract(strip + count, rows, rows - next, count, panel + (size_t)next * rows + next, rows,
                           columns - next, scratch, jobs);
    }
    return true;
}
