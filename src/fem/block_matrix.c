#include "fem/block_matrix.h"

#include "base/sort.h"
#include <string.h>

#define ROW_RANGE 512 // rows per job, at least

void rbl_block_matrix_init(rblBlockMatrix* matrix, const rblAllocator* allocator)
{
    rbl_array_init(&matrix->starts, allocator);
    rbl_array_init(&matrix->columns, allocator);
    rbl_array_init(&matrix->blocks, allocator);
}

void rbl_block_matrix_free(rblBlockMatrix* matrix)
{
    rbl_array_free(&matrix->starts);
    rbl_array_free(&matrix->columns);
    rbl_array_free(&matrix->blocks);
}

size_t rbl_block_matrix_bytes(const rblBlockMatrix* matrix)
{
    return (matrix->starts.capacity + matrix->columns.capacity) * sizeof(uint32_t) +
           matrix->blocks.capacity * sizeof(double);
}

// Append the columns of one row. `seen` contains for every node the last row that has it, plus 1.
static bool add_row(rblBlockMatrix* matrix, uint32_t row, const uint32_t* nodes, const uint32_t* tets,
                    uint32_t tet_count, uint32_t* seen, rblIndexArray* scratch)
{
    const size_t first = matrix->columns.count;
    for (uint32_t i = 0; i < tet_count; ++i)
    {
        const uint32_t* corners = nodes + 4 * (size_t)tets[i];
        for (uint32_t k = 0; k < 4; ++k)
        {
            if (seen[corners[k]] != row + 1)
            {
                seen[corners[k]] = row + 1;
                if (!rbl_array_push(&matrix->columns, corners[k]))
                {
                    return false;
                }
            }
        }
    }
    const size_t count = matrix->columns.count - first;
    if (!rbl_array_resize_amply(scratch, count))
    {
        return false;
    }
    rbl_sort_indices(matrix->columns.data + first, scratch->data, count, rbl_before_by_value, NULL);
    return rbl_array_push(&matrix->starts, (uint32_t)matrix->columns.count);
}

bool rbl_block_matrix_pattern(rblBlockMatrix* matrix, uint32_t node_count, const uint32_t* nodes,
                              const uint32_t* incident_starts, const uint32_t* incident)
{
    const rblAllocator* allocator = matrix->starts.allocator;
    uint32_t* seen = rbl_alloc_zero(allocator, sizeof *seen * node_count);
    rblIndexArray scratch;
    rbl_array_init(&scratch, allocator);
    bool good = seen != NULL && rbl_array_reserve(&matrix->starts, (size_t)node_count + 1) &&
                rbl_array_push(&matrix->starts, 0u);
    for (uint32_t row = 0; good && row < node_count; ++row)
    {
        const uint32_t first = incident_starts[row];
        good =
            add_row(matrix, row, nodes, incident + first, incident_starts[row + 1] - first, seen, &scratch);
    }
    good = good && rbl_array_resize(&matrix->blocks, 9 * matrix->columns.count);
    if (good)
    {
        memset(matrix->blocks.data, 0, sizeof(double) * matrix->blocks.count);
    }
    rbl_array_free(&scratch);
    rbl_free(allocator, seen, sizeof *seen * node_count);
    return good;
}

double* rbl_block_matrix_at(const rblBlockMatrix* matrix, uint32_t row, uint32_t column)
{
    uint32_t low = matrix->starts.data[row], high = matrix->starts.data[row + 1] - 1;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (matrix->columns.data[middle] < column)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return matrix->blocks.data + 9 * (size_t)low;
}

typedef struct Product
{
    const rblBlockMatrix* matrix;
    const rblVec3d* x;
    rblVec3d* out;
} Product;

static void multiply_rows(rblRange range, void* context)
{
    const Product* product = context;
    const uint32_t* starts = product->matrix->starts.data;
    const uint32_t* columns = product->matrix->columns.data;
    for (uint32_t row = range.begin; row < range.end; ++row)
    {
        rblVec3d sum = {0.0, 0.0, 0.0};
        const double* block = product->matrix->blocks.data + 9 * (size_t)starts[row];
        for (uint32_t i = starts[row]; i < starts[row + 1]; ++i, block += 9)
        {
            const rblVec3d x = product->x[columns[i]];
            sum.x += block[0] * x.x + block[1] * x.y + block[2] * x.z;
            sum.y += block[3] * x.x + block[4] * x.y + block[5] * x.z;
            sum.z += block[6] * x.x + block[7] * x.y + block[8] * x.z;
        }
        product->out[row] = sum;
    }
}

void rbl_block_matrix_multiply(const rblBlockMatrix* matrix, const rblVec3d* x, rblVec3d* out, rblJobs* jobs)
{
    Product product = {matrix, x, out};
    rbl_parallel_for(jobs, rbl_block_matrix_rows(matrix), ROW_RANGE, multiply_rows, &product);
}
