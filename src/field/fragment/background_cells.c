// The two grids of a background: start tetrahedra for searches, and cells for sets of fragments (Glondu 2012, 4.5).
#include "base/error.h"
#include "field/fragment/background.h"
#include "math/aabb.h"
#include "math/vec.h"

// ---- tuning ----
#define SEED_SIDE      0.4f // relative to the mean edge; side of the cells with start tetrahedra for searches
#define SEEDS_PER_TET  16u  // largest number of these cells per tetrahedron
#define CELL_SIDE      1.5f // relative to the mean edge; side of the cells with lists of tetrahedra
#define CELLS_PER_NODE 4u   // largest number of these cells per node

// Cells of a grid that a box touches: begin[i] <= index < end[i].
typedef struct CellBox
{
    uint32_t begin[3], end[3];
} CellBox;

static uint32_t clamp_index(float coordinate, uint32_t size)
{
    return coordinate >= 0.0f ? (coordinate < (float)size ? (uint32_t)(int32_t)coordinate : size - 1) : 0;
}

static CellBox cells_of(rblAabb box, rblVec3 origin, float inverse, const uint32_t size[3])
{
    const rblVec3 low = rbl_scale3(rbl_sub3(box.lower, origin), inverse);
    const rblVec3 high = rbl_scale3(rbl_sub3(box.upper, origin), inverse);
    return (CellBox){{clamp_index(low.x, size[0]), clamp_index(low.y, size[1]), clamp_index(low.z, size[2])},
                     {clamp_index(high.x, size[0]) + 1, clamp_index(high.y, size[1]) + 1,
                      clamp_index(high.z, size[2]) + 1}};
}

// Slightly larger than the tetrahedron, because of rounding.
static rblAabb box_of(const rblBackground* b, uint32_t tet)
{
    rblAabb box = rbl_aabb_empty();
    for (uint32_t i = 0; i < 4; ++i)
    {
        box = rbl_aabb_add(box, b->nodes[b->view->nodes[4 * (size_t)tet + i]].position);
    }
    return rbl_aabb_grown(box, 1e-4f * b->edge);
}

static rblAabb box_of_all(const rblBackground* b)
{
    rblAabb box = rbl_aabb_empty();
    for (uint32_t i = 0; i < b->node_count; ++i)
    {
        box = rbl_aabb_add(box, b->nodes[i].position);
    }
    return rbl_aabb_grown(box, 1e-3f * b->edge);
}

// Size of a grid over a box with cells of a given side; the side is enlarged until there are at most `most` cells.
// Returns the side.
static float choose_grid(rblAabb box, float side, size_t most, uint32_t size[3])
{
    const rblVec3 extent = rbl_aabb_size(box);
    for (;; side *= 1.26f)
    {
        const double x = ceil((double)extent.x / (double)side), y = ceil((double)extent.y / (double)side),
                     z = ceil((double)extent.z / (double)side);
        if (x * y * z <= (double)most)
        {
            size[0] = (uint32_t)x;
            size[1] = (uint32_t)y;
            size[2] = (uint32_t)z;
            return side;
        }
    }
}

// ---- seeds ----

static bool contents(const rblBackgroundTet* tet, rblVec3 p)
{
    bool inside = true;
    for (uint32_t i = 0; i < 4; ++i)
    {
        inside = inside && tet->x[i] * p.x + tet->y[i] * p.y + tet->z[i] * p.z + tet->o[i] >= 0.0f;
    }
    return inside;
}

// The seed of a cell is the last tetrahedron that contains its centre; if there is none, the first whose box touches
// the cell.
static void seed_cells(rblBackground* b, uint32_t tet, float side)
{
    const CellBox c = cells_of(box_of(b, tet), b->seed_origin, b->seed_inverse, b->seed_size);
    for (uint32_t k = c.begin[2]; k < c.end[2]; ++k)
    {
        for (uint32_t j = c.begin[1]; j < c.end[1]; ++j)
        {
            for (uint32_t i = c.begin[0]; i < c.end[0]; ++i)
            {
                uint32_t* seed = &b->seeds[i + b->seed_size[0] * (j + b->seed_size[1] * k)];
                const rblVec3 offset = {((float)i + 0.5f) * side, ((float)j + 0.5f) * side,
                                        ((float)k + 0.5f) * side};
                if (*seed == RBL_NONE || contents(&b->functions[tet], rbl_add3(b->seed_origin, offset)))
                {
                    *seed = tet;
                }
            }
        }
    }
}

rblResult rbl_background_fill_seeds(rblBackground* b)
{
    const rblAabb box = box_of_all(b);
    const float side =
        choose_grid(box, SEED_SIDE * b->edge, SEEDS_PER_TET * (size_t)b->tet_count + 64, b->seed_size);
    const size_t count = (size_t)b->seed_size[0] * b->seed_size[1] * b->seed_size[2];
    b->seed_origin = box.lower;
    b->seed_inverse = 1.0f / side;
    b->seeds = RBL_NEW_ARRAY(b->allocator, uint32_t, count);
    if (b->seeds == NULL)
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < count; ++i)
    {
        b->seeds[i] = RBL_NONE;
    }
    for (uint32_t tet = 0; tet < b->tet_count; ++tet)
    {
        seed_cells(b, tet, side);
    }
    return RBL_OK;
}

// ---- cells ----

static void choose_levels(rblBackground* b)
{
    const rblAabb box = box_of_all(b);
    b->cell =
        choose_grid(box, CELL_SIDE * b->edge, CELLS_PER_NODE * (size_t)b->node_count + 64, b->levels[0].size);
    b->cell_origin = box.lower;
    for (;;)
    {
        const rblCellLevel* level = &b->levels[b->level_count];
        b->cell_count += level->size[0] * level->size[1] * level->size[2];
        b->level_count += 1;
        if (b->level_count == RBL_CELL_LEVELS ||
            (level->size[0] == 1 && level->size[1] == 1 && level->size[2] == 1))
        {
            return;
        }
        b->levels[b->level_count] = (rblCellLevel){
            {(level->size[0] + 1) / 2, (level->size[1] + 1) / 2, (level->size[2] + 1) / 2}, b->cell_count};
    }
}

// Sort tetrahedra by the finest cells that they touch: first count, then write. `starts` has one entry more than there
// are cells.
static void visit_cells(const rblBackground* b, uint32_t* starts, uint32_t* tets)
{
    const uint32_t* size = b->levels[0].size;
    for (uint32_t tet = 0; tet < b->tet_count; ++tet)
    {
        const CellBox c = cells_of(box_of(b, tet), b->cell_origin, 1.0f / b->cell, size);
        for (uint32_t k = c.begin[2]; k < c.end[2]; ++k)
        {
            for (uint32_t j = c.begin[1]; j < c.end[1]; ++j)
            {
                for (uint32_t i = c.begin[0]; i < c.end[0]; ++i)
                {
                    const size_t cell = i + (size_t)size[0] * (j + (size_t)size[1] * k);
                    if (tets == NULL)
                    {
                        starts[cell + 1] += 1;
                    }
                    else
                    {
                        tets[starts[cell]++] = tet;
                    }
                }
            }
        }
    }
}

// The nodes of the tetrahedra of a cell, without repetition. `seen`: per node, the last cell that has listed it, plus
// 1. Null `out`: count only.
static uint32_t nodes_of_cell(const rblBackground* b, const uint32_t* tets, uint32_t count, uint32_t mark,
                              uint32_t* seen, uint32_t* out)
{
    uint32_t found = 0;
    for (size_t k = 0; k < 4 * (size_t)count; ++k)
    {
        const uint32_t node = b->view->nodes[4 * (size_t)tets[k / 4] + k % 4];
        if (seen[node] != mark)
        {
            seen[node] = mark;
            if (out != NULL)
            {
                out[found] = node;
            }
            found += 1;
        }
    }
    return found;
}

static bool list_cell_nodes(rblBackground* b, uint32_t cells, uint32_t* starts, uint32_t* seen)
{
    visit_cells(b, starts, NULL);
    for (uint32_t i = 0; i < cells; ++i)
    {
        starts[i + 1] += starts[i];
    }
    const uint32_t total = starts[cells];
    uint32_t* tets = RBL_NEW_ARRAY(b->allocator, uint32_t, total);
    if (tets == NULL)
    {
        return false;
    }
    visit_cells(b, starts, tets); // now starts[c] is the end of cell c
    uint32_t* first = b->first_cell_nodes;
    first[0] = 0;
    for (uint32_t pass = 0; pass < 2; ++pass)
    {
        for (uint32_t i = 0; i < cells; ++i)
        {
            const uint32_t begin = i == 0 ? 0 : starts[i - 1];
            const uint32_t mark = pass * cells + i + 1;
            const uint32_t found = nodes_of_cell(b, tets + begin, starts[i] - begin, mark, seen,
                                                 pass == 0 ? NULL : b->cell_nodes + first[i]);
            first[i + 1] = first[i] + found;
        }
        if (pass == 0)
        {
            b->cell_nodes = RBL_NEW_ARRAY(b->allocator, uint32_t, first[cells]);
        }
        if (b->cell_nodes == NULL)
        {
            break;
        }
    }
    RBL_FREE_ARRAY(b->allocator, tets, total);
    return b->cell_nodes != NULL;
}

rblResult rbl_background_fill_cells(rblBackground* b)
{
    choose_levels(b);
    const uint32_t cells = b->levels[0].size[0] * b->levels[0].size[1] * b->levels[0].size[2];
    uint32_t* starts = rbl_alloc_zero(b->allocator, sizeof *starts * ((size_t)cells + 1));
    uint32_t* seen = rbl_alloc_zero(b->allocator, sizeof *seen * b->node_count);
    b->first_cell_nodes = RBL_NEW_ARRAY(b->allocator, uint32_t, (size_t)cells + 1);
    bool ok = starts != NULL && seen != NULL && b->first_cell_nodes != NULL;
    if (b->first_cell_nodes != NULL)
    {
        b->first_cell_nodes[cells] = 0;
    }
    if (ok)
    {
        ok = list_cell_nodes(b, cells, starts, seen);
    }
    RBL_FREE_ARRAY(b->allocator, starts, (size_t)cells + 1);
    RBL_FREE_ARRAY(b->allocator, seen, b->node_count);
    return ok ? RBL_OK : rbl_fail_memory();
}
