// Sampling of the field, and the list of cells that the surface passes through. Of each sample only the side (inside
// or outside) is stored, so the whole grid takes one bit per node (143 MB at 1024^3). All later memory is
// proportional to the surface.
#include "base/error.h"
#include "base/number.h"
#include "mesh/isosurface/isosurface_private.h"

double rbl_iso_evaluate(const rblIsosurface* iso, rblVec3d point, rblIsoFault* fault)
{
    const double value = iso->def->field(point, iso->def->context);
    if (value != value && !fault->found)
    {
        *fault = (rblIsoFault){true, point};
    }
    return value;
}

rblResult rbl_iso_check_faults(const rblIsoFault* faults, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (faults[i].found)
        {
            char x[RBL_NUMBER_SIZE], y[RBL_NUMBER_SIZE], z[RBL_NUMBER_SIZE];
            rbl_format_double(faults[i].point.x, x);
            rbl_format_double(faults[i].point.y, y);
            rbl_format_double(faults[i].point.z, z);
            return rbl_fail(RBL_ERROR_ARGUMENT, "isosurface: the field is NaN at (%s, %s, %s)", x, y, z);
        }
    }
    return RBL_OK;
}

// ---- sampling ----

typedef struct SampleJob
{
    rblIsosurface* iso;
    rblIsoFault* faults;
} SampleJob;

static uint64_t* node_row(const rblIsosurface* iso, uint32_t y, uint32_t z)
{
    return iso->inside + iso->row_words * ((size_t)z * (iso->def->cells[1] + 1) + y);
}

// Nodes on the border always count as outside: the surface is closed there.
static void sample_row(const rblIsosurface* iso, uint32_t y, uint32_t z, rblIsoFault* fault)
{
    const rblAabbd* bounds = &iso->def->bounds;
    const uint32_t count = iso->def->cells[0];
    uint64_t* row = node_row(iso, y, z);
    rblVec3d point = rbl_iso_node(iso, 0, y, z);
    for (uint32_t x = 1; x < count && !fault->found; ++x)
    {
        point.x = rbl_iso_coordinate(bounds->lower.x, bounds->upper.x, x, count);
        const uint64_t inside = rbl_iso_evaluate(iso, point, fault) < iso->def->level;
        row[x / 64] |= inside << x % 64;
    }
}

static void sample_block(rblRange range, void* context)
{
    const SampleJob* job = context;
    const uint32_t rows_y = job->iso->def->cells[1] - 1;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        sample_row(job->iso, 1 + i % rows_y, 1 + i / rows_y, &job->faults[range.block]);
    }
}

rblResult rbl_iso_sample(rblIsosurface* iso)
{
    const uint32_t* cells = iso->def->cells;
    const size_t row_words = cells[0] / 64 + 1;
    const size_t rows = ((size_t)cells[1] + 1) * ((size_t)cells[2] + 1);
    iso->inside = rbl_alloc_zero(iso->allocator, rows * row_words * sizeof(uint64_t)); // 143 MB at most
    if (iso->inside == NULL)
    {
        return rbl_fail_memory();
    }
    iso->row_words = row_words;
    rblIsoFault faults[RBL_MAX_BLOCKS] = {0};
    SampleJob job = {iso, faults};
    rbl_parallel_for(rbl_default_jobs(), (cells[1] - 1) * (cells[2] - 1), 4, sample_block, &job);
    return rbl_iso_check_faults(faults, RBL_MAX_BLOCKS);
}

// ---- active cells ----

// The rows of nodes at the edges of a row of cells.
typedef struct RowNodes
{
    const uint64_t* row[4]; // (y, z), (y + 1, z), (y, z + 1), (y + 1, z + 1)
    size_t words;
} RowNodes;

static RowNodes row_nodes(const rblIsosurface* iso, uint32_t row)
{
    const uint32_t y = row % iso->def->cells[1];
    const uint32_t z = row / iso->def->cells[1];
    return (RowNodes){
        {node_row(iso, y, z), node_row(iso, y + 1, z), node_row(iso, y, z + 1), node_row(iso, y + 1, z + 1)},
        iso->row_words};
}

// For 64 cells: a bit for each cell whose eight corners are not all on the same side.
static uint64_t active_mask(const RowNodes* nodes, size_t word)
{
    uint64_t any = 0, all = ~(uint64_t)0, any_after = 0, all_after = ~(uint64_t)0;
    for (int i = 0; i < 4; ++i)
    {
        const uint64_t here = nodes->row[i][word];
        const uint64_t next = word + 1 < nodes->words ? nodes->row[i][word + 1] : 0;
        any |= here;
        all &= here;
        any_after |= here >> 1 | next << 63;
        all_after &= here >> 1 | next << 63;
    }
    return (any | any_after) & ~(all & all_after);
}

// Number of set bits, by parallel sums of 2, 4 and 8 bits.
static uint32_t count_bits(uint64_t mask)
{
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(mask * 0x0101010101010101u >> 56);
}

static void count_block(rblRange range, void* context)
{
    rblIsosurface* iso = context;
    for (uint32_t row = range.begin; row < range.end; ++row)
    {
        const RowNodes nodes = row_nodes(iso, row);
        uint32_t count = 0;
        for (size_t word = 0; word < nodes.words; ++word)
        {
            count += count_bits(active_mask(&nodes, word));
        }
        iso->row_starts[row + 1] = count;
    }
}

static uint8_t corner_bits(const RowNodes* nodes, uint32_t x)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint64_t* row = nodes->row[i];
        bits |= (uint32_t)(row[x / 64] >> x % 64 & 1) << 2 * i;
        bits |= (uint32_t)(row[(x + 1) / 64] >> (x + 1) % 64 & 1) << (2 * i + 1);
    }
    return (uint8_t)bits;
}

static void fill_row(rblIsosurface* iso, uint32_t row)
{
    const RowNodes nodes = row_nodes(iso, row);
    const uint32_t y = row % iso->def->cells[1];
    const uint32_t z = row / iso->def->cells[1];
    rblIsoCell* cell = iso->cells + iso->row_starts[row];
    for (size_t word = 0; word < nodes.words; ++word)
    {
        for (uint64_t mask = active_mask(&nodes, word); mask != 0; mask &= mask - 1)
        {
            const uint32_t bit = count_bits((mask & (~mask + 1)) - 1); // zeros below the lowest set bit
            const uint32_t x = (uint32_t)word * 64 + bit;
            *cell++ = (rblIsoCell){.place = x | y << 10 | z << 20, .inside = corner_bits(&nodes, x)};
        }
    }
}

static void fill_block(rblRange range, void* context)
{
    for (uint32_t row = range.begin; row < range.end; ++row)
    {
        fill_row(context, row);
    }
}

rblResult rbl_iso_find_cells(rblIsosurface* iso)
{
    const uint32_t rows = rbl_iso_row_count(iso);
    iso->row_starts = RBL_NEW_ARRAY(iso->allocator, uint32_t, (size_t)rows + 1);
    if (iso->row_starts == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(rbl_default_jobs(), rows, 64, count_block, iso);
    iso->row_starts[0] = 0;
    for (uint32_t row = 0; row < rows; ++row)
    {
        iso->row_starts[row + 1] += iso->row_starts[row]; // at most 2^30 cells
    }
    const uint32_t count = iso->row_starts[rows];
    if (count == 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "isosurface: no inner node of the grid is inside the surface");
    }
    iso->cells = RBL_NEW_ARRAY(iso->allocator, rblIsoCell, count);
    if (iso->cells == NULL)
    {
        return rbl_fail_memory();
    }
    iso->cell_count = count;
    rbl_parallel_for(rbl_default_jobs(), rows, 64, fill_block, iso);
    return RBL_OK;
}

uint32_t rbl_iso_find_cell(const rblIsosurface* iso, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t place = x | y << 10 | z << 20;
    const uint32_t row = z * iso->def->cells[1] + y;
    uint32_t low = iso->row_starts[row];
    uint32_t high = iso->row_starts[row + 1];
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (iso->cells[middle].place < place)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low < iso->row_starts[row + 1] && iso->cells[low].place == place ? low : RBL_NONE;
}
