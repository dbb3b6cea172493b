// Which fragments each cell of each level holds (Glondu 2012, 4.5; a cell holds what any of its eight children does).
#include "base/error.h"
#include "base/sort.h"
#include "field/fragment_event.h"

typedef struct Filling
{
    rblFragmentEvent* event;
    uint32_t* seen; // per label: the last cell + 1 that had it
    uint32_t* set;  // of the cell at hand
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
    rblFragmentEvent* e = f->event;
    if (f->count <= 1)
    {
        e->cells[cell] = f->count == 0 ? RBL_NONE : f->set[0];
        f->count = 0;
        return true;
    }
    rbl_sort_indices(f->set, f->scratch, f->count, rbl_before_by_value, NULL);
    e->cells[cell] = RBL_CUT | (uint32_t)f->lists.count;
    bool ok = rbl_array_push(&f->lists, f->count);
    for (uint32_t i = 0; i < f->count && ok; ++i)
    {
        ok = rbl_array_push(&f->lists, f->set[i]);
    }
    f->count = 0;
    return ok;
}

// Whether the fragment that breaks is in a cell at all.
static bool parent_has_cell(const rblFragmentEvent* e, uint32_t cell)
{
    return e->parent == NULL || rbl_fragment_cell_has(e->parent, cell, e->parent_label);
}

static bool fill_finest(Filling* f, uint32_t cell)
{
    const rblFragmentEvent* e = f->event;
    const rblBackground* b = e->background;
    if (parent_has_cell(e, cell))
    {
        for (uint32_t k = b->first_cell_nodes[cell]; k < b->first_cell_nodes[cell + 1]; ++k)
        {
            const uint32_t local = rbl_rank_find(e->node_ranks, b->cell_nodes[k]);
            if (local != RBL_NONE)
            {
                add_label(f, cell, e->labels[local]);
            }
        }
    }
    return write_cell(f, cell);
}

static void add_set(Filling* f, uint32_t cell, uint32_t from)
{
    const uint32_t value = f->event->cells[from];
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
                               uint32_t place)
{
    const uint32_t x = place % level->size[0], y = place / level->size[0] % level->size[1],
                   z = place / level->size[0] / level->size[1];
    for (uint32_t k = 0; k < 8; ++k)
    {
        const uint32_t i = 2 * x + (k & 1), j = 2 * y + (k >> 1 & 1), l = 2 * z + (k >> 2);
        if (i < below->size[0] && j < below->size[1] && l < below->size[2])
        {
            add_set(f, level->first + place, below->first + i + below->size[0] * (j + below->size[1] * l));
        }
    }
    return write_cell(f, level->first + place);
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

rblResult rbl_fragment_event_fill_cells(rblFragmentEvent* e)
{
    const rblAllocator* allocator = e->allocator;
    Filling f = {.event = e,
                 .seen = rbl_alloc_zero(allocator, sizeof *f.seen * e->label_count),
                 .set = RBL_NEW_ARRAY(allocator, uint32_t, e->label_count),
                 .scratch = RBL_NEW_ARRAY(allocator, uint32_t, e->label_count)};
    rbl_array_init(&f.lists, allocator);
    e->cells = RBL_NEW_ARRAY(allocator, uint32_t, e->background->cell_count);
    const bool ok =
        f.seen != NULL && f.set != NULL && f.scratch != NULL && e->cells != NULL && fill_levels(&f);
    RBL_FREE_ARRAY(allocator, f.seen, e->label_count);
    RBL_FREE_ARRAY(allocator, f.set, e->label_count);
    RBL_FREE_ARRAY(allocator, f.scratch, e->label_count);
    e->cell_lists = f.lists.data;
    e->cell_list_size = (uint32_t)f.lists.capacity;
    return ok ? RBL_OK : rbl_fail_memory();
}

bool rbl_fragment_cell_has(const rblFragmentEvent* e, uint32_t cell, uint32_t label)
{
    const uint32_t value = e->cells[cell];
    if ((value & RBL_CUT) == 0 || value == RBL_NONE)
    {
        return value == label;
    }
    const uint32_t* list = e->cell_lists + (value & ~RBL_CUT);
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
