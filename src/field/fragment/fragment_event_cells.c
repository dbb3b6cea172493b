// Contents of cells, created at the first use: their fragments (Glondu 2012, 4.5; a cell has the fragments of its eight
// children), and for the finest cells the crack pieces.
#include "base/sort.h"
#include "field/fragment/fragment_event.h"
#include "math/vec.h"

// ---- sets of fragments ----

typedef struct Filling
{
    const rblFragmentEvent* event;
    rblFragmentCells* cells;
    uint32_t* seen; // per label: the last cell that has listed it, plus 1
    uint32_t* set;  // labels of the current cell
    uint32_t* scratch;
    uint32_t count;
    rblIndexArray lists;
} Filling;

static void add_label(Filling* f, uint32_t cell, uint32_t label)
{
    if (f->seen[label] != cell + 1)
    {
        f->seen[label] = cell + 1;
        f->set[f->count++] = label;
    }
}

static bool write_cell(Filling* f, uint32_t cell)
{
    uint32_t* sets = f->cells->sets;
    if (f->count <= 1)
    {
        sets[cell] = f->count == 0 ? RBL_NONE : f->set[0];
        f->count = 0;
        return true;
    }
    rbl_sort_indices(f->set, f->scratch, f->count, rbl_before_by_value, NULL);
    sets[cell] = RBL_CUT | (uint32_t)f->lists.count;
    bool ok = rbl_array_push(&f->lists, f->count);
    for (uint32_t i = 0; i < f->count && ok; ++i)
    {
        ok = rbl_array_push(&f->lists, f->set[i]);
    }
    f->count = 0;
    return ok;
}

static bool fill_finest(Filling* f, uint32_t cell)
{
    const rblFragmentEvent* e = f->event;
    const rblBackground* b = e->background;
    for (uint32_t k = b->first_cell_nodes[cell]; k < b->first_cell_nodes[cell + 1]; ++k)
    {
        const uint32_t local = rbl_rank_find(e->node_ranks, b->cell_nodes[k]);
        if (local != RBL_NONE)
        {
            add_label(f, cell, e->labels[local]);
        }
    }
    return write_cell(f, cell);
}

static void add_set(Filling* f, uint32_t cell, uint32_t from)
{
    const uint32_t value = f->cells->sets[from];
    if (value == RBL_NONE)
    {
        return;
    }
    if ((value & RBL_CUT) == 0)
    {
        add_label(f, cell, value);
        return;
    }
    const uint32_t start = value & ~RBL_CUT;
    for (uint32_t k = 1; k <= f->lists.data[start]; ++k)
    {
        add_label(f, cell, f->lists.data[start + k]);
    }
}

static bool fill_from_children(Filling* f, const rblCellLevel* level, const rblCellLevel* below,
                               uint32_t index)
{
    const uint32_t x = index % level->size[0], y = index / level->size[0] % level->size[1],
                   z = index / level->size[0] / level->size[1];
    for (uint32_t k = 0; k < 8; ++k)
    {
        const uint32_t i = 2 * x + (k & 1), j = 2 * y + (k >> 1 & 1), l = 2 * z + (k >> 2);
        if (i < below->size[0] && j < below->size[1] && l < below->size[2])
        {
            add_set(f, level->first + index, below->first + i + below->size[0] * (j + below->size[1] * l));
        }
    }
    return write_cell(f, level->first + index);
}

static bool fill_levels(Filling* f)
{
    const rblBackground* b = f->event->background;
    bool ok = true;
    for (uint32_t l = 0; l < b->level_count && ok; ++l)
    {
        const rblCellLevel* level = &b->levels[l];
        const uint32_t count = level->size[0] * level->size[1] * level->size[2];
        for (uint32_t i = 0; i < count && ok; ++i)
        {
            ok = l == 0 ? fill_finest(f, i) : fill_from_children(f, level, level - 1, i);
        }
    }
    return ok;
}

static bool fill_sets(const rblFragmentEvent* e, rblFragmentCells* cells)
{
    const rblAllocator* allocator = e->allocator;
    Filling f = {.event = e,
                 .cells = cells,
                 .seen = rbl_alloc_zero(allocator, sizeof *f.seen * e->label_count),
                 .set = RBL_NEW_ARRAY(allocator, uint32_t, e->label_count),
                 .scratch = RBL_NEW_ARRAY(allocator, uint32_t, e->label_count)};
    rbl_array_init(&f.lists, allocator);
    cells->sets = RBL_NEW_ARRAY(allocator, uint32_t, e->background->cell_count);
    const bool ok =
        f.seen != NULL && f.set != NULL && f.scratch != NULL && cells->sets != NULL && fill_levels(&f);
    RBL_FREE_ARRAY(allocator, f.seen, e->label_count);
    RBL_FREE_ARRAY(allocator, f.set, e->label_count);
    RBL_FREE_ARRAY(allocator, f.scratch, e->label_count);
    cells->lists = f.lists.data;
    cells->list_size = (uint32_t)f.lists.capacity;
    return ok;
}

// ---- crack pieces ----

static uint32_t clamp_index(float coordinate, uint32_t size)
{
    return coordinate >= 0.0f ? (coordinate < (float)size ? (uint32_t)(int32_t)coordinate : size - 1) : 0;
}

// Cells that the ball around a piece touches: begin <= index < end.
typedef struct CellBox
{
    uint32_t begin[3], end[3];
} CellBox;

static CellBox cells_of(const rblBackground* b, const rblCrackPiece* piece)
{
    const rblVec3 at = rbl_scale3(rbl_sub3(piece->center, b->cell_origin), 1.0f / b->cell);
    const float reach = piece->radius / b->cell;
    const uint32_t* size = b->levels[0].size;
    return (CellBox){{clamp_index(at.x - reach, size[0]), clamp_index(at.y - reach, size[1]),
                      clamp_index(at.z - reach, size[2])},
                     {clamp_index(at.x + reach, size[0]) + 1, clamp_index(at.y + reach, size[1]) + 1,
                      clamp_index(at.z + reach, size[2]) + 1}};
}

// Count the pieces of each cell, or with `out` write them.
static void visit_cells(const rblFragmentEvent* e, const rblBorder* borders, uint32_t count, uint32_t* starts,
                        rblBorder* out)
{
    const uint32_t* size = e->background->levels[0].size;
    for (uint32_t i = 0; i < count; ++i)
    {
        const CellBox c = cells_of(e->background, &e->pieces[borders[i].piece]);
        for (uint32_t z = c.begin[2]; z < c.end[2]; ++z)
        {
            for (uint32_t y = c.begin[1]; y < c.end[1]; ++y)
            {
                for (uint32_t x = c.begin[0]; x < c.end[0]; ++x)
                {
                    const uint32_t cell = x + size[0] * (y + size[1] * z);
                    if (out == NULL)
                    {
                        starts[cell + 1] += 1;
                    }
                    else
                    {
                        out[starts[cell]++] = borders[i];
                    }
                }
            }
        }
    }
}

static bool sort_pieces(const rblFragmentEvent* e, rblFragmentCells* cells)
{
    const uint32_t count = rbl_background_cells(e->background);
    uint32_t* first = rbl_alloc_zero(e->allocator, sizeof *first * ((size_t)count + 1));
    cells->first_borders = first;
    if (first == NULL)
    {
        return false;
    }
    visit_cells(e, e->by_label, e->border_count, first, NULL);
    for (uint32_t i = 0; i < count; ++i)
    {
        first[i + 1] += first[i];
    }
    cells->near_count = first[count];
    cells->near = RBL_NEW_ARRAY(e->allocator, rblBorder, cells->near_count);
    if (cells->near == NULL && cells->near_count > 0)
    {
        return false;
    }
    visit_cells(e, e->by_label, e->border_count, first, cells->near);
    for (uint32_t i = count; i > 0; --i)
    {
        first[i] = first[i - 1];
    }
    first[0] = 0;
    return true;
}

// ---- creation ----

void rbl_fragment_event_free_cells(const rblFragmentEvent* e, rblFragmentCells* cells)
{
    if (cells != NULL)
    {
        const rblAllocator* allocator = e->allocator;
        RBL_FREE_ARRAY(allocator, cells->first_borders, (size_t)rbl_background_cells(e->background) + 1);
        RBL_FREE_ARRAY(allocator, cells->near, cells->near_count);
        RBL_FREE_ARRAY(allocator, cells->sets, e->background->cell_count);
        RBL_FREE_ARRAY(allocator, cells->lists, cells->list_size);
        rbl_free(allocator, cells, sizeof *cells);
    }
}

static rblFragmentCells* make_cells(const rblFragmentEvent* e)
{
    rblFragmentCells* cells = rbl_alloc_zero(e->allocator, sizeof *cells);
    if (cells != NULL && !(fill_sets(e, cells) && sort_pieces(e, cells)))
    {
        rbl_fragment_event_free_cells(e, cells);
        cells = NULL;
    }
    return cells;
}

const rblFragmentCells* rbl_fragment_event_cells(const rblFragmentEvent* event)
{
    rblFragmentEvent* e = (rblFragmentEvent*)(uintptr_t)event;
    rblFragmentCells* cells = atomic_load_explicit(&e->cells, memory_order_acquire);
    if (cells != NULL)
    {
        return cells;
    }
    // Two threads may create them at the same time: both results are equal, and the first one is kept.
    rblFragmentCells* created = make_cells(e);
    if (created != NULL && !atomic_compare_exchange_strong(&e->cells, &cells, created))
    {
        rbl_fragment_event_free_cells(e, created);
        return cells;
    }
    return created;
}

bool rbl_fragment_cell_has(const rblFragmentCells* cells, uint32_t cell, uint32_t label)
{
    const uint32_t value = cells->sets[cell];
    if ((value & RBL_CUT) == 0 || value == RBL_NONE)
    {
        return value == label;
    }
    const uint32_t* list = cells->lists + (value & ~RBL_CUT);
    uint32_t begin = 1, end = list[0] + 1;
    while (begin < end)
    {
        const uint32_t middle = (begin + end) / 2;
        if (list[middle] == label)
        {
            return true;
        }
        if (list[middle] < label)
        {
            begin = middle + 1;
        }
        else
        {
            end = middle;
        }
    }
    return false;
}
