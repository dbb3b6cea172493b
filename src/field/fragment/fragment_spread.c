// Squared distances of all lattice points of a fragment from some of them, in cells, axis by axis.
#include "field/fragment/fragment_grid.h"
#include "math/simd.h"
#include <math.h>
#include <string.h>

// Content of a row: only infinity, only 0, or mixed values.
typedef enum RowKind
{
    ROW_EMPTY,
    ROW_ZERO,
    ROW_MIXED
} RowKind;

static RowKind kind_of(const float* row, uint32_t count)
{
    rblFloat4 least = rbl_splat4(INFINITY), most = rbl_splat4(0.0f);
    for (uint32_t i = 0; i < count; i += 4)
    {
        least = rbl_min4(rbl_load4(row + i), least);
        most = rbl_max4(rbl_load4(row + i), most);
    }
    if (rbl_mask4(rbl_less4(least, rbl_splat4(INFINITY))) == 0)
    {
        return ROW_EMPTY;
    }
    return rbl_mask4(rbl_less4(rbl_splat4(0.0f), most)) == 0 ? ROW_ZERO : ROW_MIXED;
}

static void fill_row(float* row, uint32_t count, float value)
{
    for (uint32_t i = 0; i < count; i += 4)
    {
        rbl_store4(row + i, rbl_splat4(value));
    }
}

// Along x: the minimum over the points within the window. The row is copied to a buffer with padding on both sides.
static void spread_row(float* row, uint32_t count)
{
    float copy[RBL_LATTICE_ROW + 2 * RBL_WINDOW];
    fill_row(copy, 8, INFINITY);
    memcpy(copy + RBL_WINDOW, row, sizeof *row * count);
    for (uint32_t i = 0; i < RBL_WINDOW; ++i)
    {
        copy[RBL_WINDOW + count + i] = INFINITY;
    }
    for (uint32_t i = 0; i < count; i += 4)
    {
        const float* in = copy + RBL_WINDOW + i;
        rblFloat4 least = rbl_load4(in);
        for (uint32_t k = 1; k <= RBL_WINDOW; ++k)
        {
            const rblFloat4 square = rbl_splat4((float)(int32_t)(k * k));
            if ((k & 1) != 0 && rbl_mask4(rbl_less4(square, least)) == 0)
            {
                break; // a farther point cannot give a smaller value
            }
            least = rbl_min4(rbl_add4(rbl_load4(in - k), square), least);
            least = rbl_min4(rbl_add4(rbl_load4(in + k), square), least);
        }
        rbl_store4(row + i, least);
    }
}

// Another row in the window, and its squared distance.
typedef struct RowBeside
{
    const float* row;
    float square;
} RowBeside;

// The rows along an axis: index of this row, number of rows, and the strides.
typedef struct RowAxis
{
    uint32_t at, count;
    size_t stride;       // in floats
    uint32_t row_stride; // in rows
} RowAxis;

// The rows in the window that are not empty, the nearest first. Returns their number.
static uint32_t list_beside(const float* row, const uint8_t* kind, RowAxis axis,
                            RowBeside out[2 * RBL_WINDOW])
{
    const uint32_t behind = axis.count - 1 - axis.at;
    uint32_t count = 0;
    for (uint32_t i = 1; i <= RBL_WINDOW; ++i)
    {
        const float square = (float)(int32_t)(i * i);
        const size_t rows = (size_t)i * axis.row_stride, floats = i * axis.stride;
        if (i <= axis.at && *(kind - rows) != ROW_EMPTY)
        {
            out[count++] = (RowBeside){row - floats, square};
        }
        if (i <= behind && kind[rows] != ROW_EMPTY)
        {
            out[count++] = (RowBeside){row + floats, square};
        }
    }
    return count;
}

// The minimum of a row and its neighbours, written to another row; at most `beyond`.
static RowKind spread_across(const float* in, float* out, uint32_t length, const uint8_t* kind, RowAxis axis,
                             float beyond)
{
    RowBeside beside[2 * RBL_WINDOW];
    const uint32_t count = *kind != ROW_ZERO ? list_beside(in, kind, axis, beside) : 0;
    if (*kind == ROW_ZERO || (*kind == ROW_EMPTY && count == 0))
    {
        fill_row(out, length, *kind == ROW_ZERO ? 0.0f : beyond);
        return (RowKind)*kind;
    }
    for (uint32_t i = 0; i < length; i += 4)
    {
        rblFloat4 least = rbl_min4(rbl_load4(in + i), rbl_splat4(beyond));
        for (uint32_t k = 0; k < count; ++k)
        {
            const rblFloat4 square = rbl_splat4(beside[k].square);
            if ((k & 3) == 0 && rbl_mask4(rbl_less4(square, least)) == 0)
            {
                break; // a farther row cannot give a smaller value
            }
            least = rbl_min4(rbl_add4(rbl_load4(beside[k].row + i), square), least);
        }
        rbl_store4(out + i, least);
    }
    return ROW_MIXED;
}

void rbl_lattice_spread(const rblFragmentLattice* l, float* squares, float* scratch)
{
    const uint32_t rows = 4 * l->bricks[1] + 1, layers = 4 * l->bricks[2] + 1;
    uint8_t kinds[RBL_LATTICE_ROW * RBL_LATTICE_ROW], across[RBL_LATTICE_ROW * RBL_LATTICE_ROW];
    for (uint32_t row = 0; row < rows * layers; ++row)
    {
        kinds[row] = (uint8_t)kind_of(squares + (size_t)l->row * row, l->row);
        if (kinds[row] == ROW_MIXED)
        {
            spread_row(squares + (size_t)l->row * row, l->row);
        }
    }
    for (uint32_t row = 0; row < rows * layers; ++row)
    {
        const size_t start = (size_t)l->row * row;
        const RowAxis axis = {row % rows, rows, l->row, 1};
        across[row] =
            (uint8_t)spread_across(squares + start, scratch + start, l->row, &kinds[row], axis, INFINITY);
    }
    for (uint32_t row = 0; row < rows * layers; ++row)
    {
        const size_t start = (size_t)l->row * row;
        const RowAxis axis = {row / rows, layers, l->layer, rows};
        (void)spread_across(scratch + start, squares + start, l->row, &across[row], axis,
                            (float)(RBL_WINDOW * RBL_WINDOW));
    }
}
