// From shells to pieces. Cells of one region are joined across their common faces. Then each crumb, the smallest first,
// is merged with the neighbour with the largest common area. Only the crack between the two is removed; no volume is
// lost.
#include "cut/pieces/pieces_private.h"

typedef struct Crumb
{
    double volume;
    uint32_t group;
} Crumb;

typedef struct MergeWork
{
    rblCut* cut;
    uint32_t* sides;       // per side of a cap (2 cap + side): its shell
    uint32_t* heads;       // per group: the first of its sides
    uint32_t* tails;       // per group: the last of its sides
    uint32_t* next;        // per side: the next side of its group
    double* volumes;       // per group, m^3
    double* areas;         // per group, m^2
    double* nearness;      // per group: squared distance from the centre of the options, m^2
    double* common;        // per group: area in common with the current group, m^2
    uint32_t* stamps;      // per group: the group for which `common` is valid
    RBL_ARRAY(Crumb) heap; // smallest volume on top; outdated entries are skipped
    uint32_t left;         // number of pieces left
} MergeWork;

static uint32_t group_of(rblCut* cut, uint32_t shell)
{
    rblShell* shells = cut->shells;
    while (shells[shell].group != shell)
    {
        shells[shell].group = shells[shells[shell].group].group;
        shell = shells[shell].group;
    }
    return shell;
}

static uint32_t region_of(const rblCut* cut, uint32_t cell)
{
    return cut->options->regions != NULL && cell != cut->excluded ? cut->options->regions[cell] : cell;
}

static bool is_excluded(const rblCut* cut, uint32_t shell)
{
    return cut->shells[shell].cell == cut->excluded;
}

static bool allocate_arrays(MergeWork* work)
{
    rblCut* cut = work->cut;
    const size_t sides = 2 * cut->caps.count + 1, shells = (size_t)cut->shell_count + 1;
    work->sides = RBL_ARENA_ARRAY(cut->arena, uint32_t, sides);
    work->next = RBL_ARENA_ARRAY(cut->arena, uint32_t, sides);
    work->heads = RBL_ARENA_ARRAY(cut->arena, uint32_t, shells);
    work->tails = RBL_ARENA_ARRAY(cut->arena, uint32_t, shells);
    work->common = RBL_ARENA_ARRAY(cut->arena, double, shells);
    work->stamps = RBL_ARENA_ARRAY(cut->arena, uint32_t, shells);
    work->volumes = RBL_ARENA_ARRAY(cut->arena, double, shells);
    work->areas = RBL_ARENA_ARRAY(cut->arena, double, shells);
    work->nearness = RBL_ARENA_ARRAY(cut->arena, double, shells);
    cut->group_regions = RBL_ARENA_ARRAY(cut->arena, uint32_t, shells);
    return work->sides != NULL && work->next != NULL && work->heads != NULL && work->tails != NULL &&
           work->common != NULL && work->stamps != NULL && work->volumes != NULL && work->areas != NULL &&
           work->nearness != NULL && cut->group_regions != NULL;
}

// ---- heap ----

static bool is_less(Crumb a, Crumb b)
{
    return a.volume < b.volume || (a.volume == b.volume && a.group < b.group);
}

static bool push(MergeWork* work, Crumb crumb)
{
    if (!rbl_array_push(&work->heap, crumb))
    {
        return false;
    }
    Crumb* heap = work->heap.data;
    size_t n = work->heap.count - 1;
    while (n > 0 && is_less(crumb, heap[(n - 1) / 2]))
    {
        heap[n] = heap[(n - 1) / 2];
        n = (n - 1) / 2;
    }
    heap[n] = crumb;
    return true;
}

static Crumb pop(MergeWork* work)
{
    Crumb* heap = work->heap.data;
    const Crumb top = heap[0];
    const Crumb last = heap[--work->heap.count];
    size_t n = 0;
    for (;;)
    {
        size_t child = 2 * n + 1;
        if (child >= work->heap.count)
        {
            break;
        }
        child += child + 1 < work->heap.count && is_less(heap[child + 1], heap[child]) ? 1 : 0;
        if (!is_less(heap[child], last))
        {
            break;
        }
        heap[n] = heap[child];
        n = child;
    }
    heap[n] = last;
    return top;
}

// ---- groups ----

// Each shell is a group, except cavities.
static void begin_groups(MergeWork* work)
{
    rblCut* cut = work->cut;
    for (uint32_t s = 0; s < cut->shell_count; ++s)
    {
        work->heads[s] = work->tails[s] = RBL_NONE;
        work->volumes[s] = work->areas[s] = 0.0;
        work->nearness[s] = (double)INFINITY;
        work->stamps[s] = RBL_NONE;
        cut->group_regions[s] = region_of(cut, cut->shells[s].cell);
    }
    work->left = 0;
    for (uint32_t s = 0; s < cut->shell_count; ++s)
    {
        const uint32_t group = group_of(cut, s);
        work->volumes[group] += cut->shells[s].volume;
        work->areas[group] += cut->shells[s].area;
        work->nearness[group] = rbl_mind(work->nearness[group], cut->shells[s].nearness);
        work->left += group == s && !is_excluded(cut, s) ? 1 : 0;
    }
    for (uint32_t side = 0; side < 2 * (uint32_t)cut->caps.count; ++side)
    {
        work->sides[side] = rbl_cut_cap_shell(cut, side / 2, side % 2);
        const uint32_t group = group_of(cut, work->sides[side]);
        work->next[side] = work->heads[group];
        work->heads[group] = side;
        work->tails[group] = work->tails[group] == RBL_NONE ? side : work->tails[group];
    }
}

// Merge `from` into `into`. The lower index represents both; the region is that of `into`.
static uint32_t merge_groups(MergeWork* work, uint32_t from, uint32_t into, double common)
{
    rblCut* cut = work->cut;
    const uint32_t region = cut->group_regions[into];
    const uint32_t low = from < into ? from : into, high = from < into ? into : from;
    cut->shells[high].group = low;
    cut->group_regions[low] = region;
    work->volumes[low] += work->volumes[high];
    work->areas[low] += work->areas[high] - 2.0 * common;
    work->nearness[low] = rbl_mind(work->nearness[low], work->nearness[high]);
    if (work->heads[high] != RBL_NONE)
    {
        if (work->heads[low] == RBL_NONE)
        {
            work->heads[low] = work->heads[high];
        }
        else
        {
            work->next[work->tails[low]] = work->heads[high];
        }
        work->tails[low] = work->tails[high];
    }
    work->left -= 1;
    return low;
}

static void join_regions(MergeWork* work)
{
    rblCut* cut = work->cut;
    for (uint32_t c = 0; c < cut->caps.count; ++c)
    {
        const uint32_t a = group_of(cut, work->sides[2 * c]), b = group_of(cut, work->sides[2 * c + 1]);
        if (cut->group_regions[a] != cut->group_regions[b] || is_excluded(cut, a) || is_excluded(cut, b))
        {
            continue;
        }
        if (a == b)
        {
            work->areas[a] -= 2.0 * fabs(cut->caps.data[c].area);
        }
        else
        {
            merge_groups(work, a, b, fabs(cut->caps.data[c].area));
        }
    }
}

// Small disconnected parts of a cell join the largest part of the cell.
static void join_strays(MergeWork* work, uint32_t cell)
{
    rblCut* cut = work->cut;
    const uint32_t first = cut->shell_starts[cell], end = cut->shell_starts[cell + 1];
    uint32_t largest = RBL_NONE;
    for (uint32_t s = first; s < end; ++s)
    {
        const bool is_representative = cut->shells[s].group == s;
        largest = is_representative && (largest == RBL_NONE || work->volumes[s] > work->volumes[largest])
                      ? s
                      : largest;
    }
    for (uint32_t s = first; s < end; ++s)
    {
        if (cut->shells[s].group == s && s != largest && work->volumes[s] < cut->options->stray)
        {
            largest = merge_groups(work, s, largest, 0.0);
            cut->merged += 1;
        }
    }
}

// ---- crumbs ----

// Whether a piece is completely beyond the radius but not in `rest`: a part of a cell that is inside the radius
// elsewhere.
static bool is_beyond_radius(const MergeWork* work, uint32_t group)
{
    const rblCutOptions* options = work->cut->options;
    return options->radius > 0.0 && work->cut->group_regions[group] != options->rest &&
           work->nearness[group] > options->radius * options->radius;
}

static bool is_crumb(const MergeWork* work, uint32_t group)
{
    const rblCutOptions* options = work->cut->options;
    const double volume = work->volumes[group];
    return !(volume > 0.0) || volume < options->smallest_volume || is_beyond_radius(work, group) ||
           2.0 * volume < options->thinnest * work->areas[group];
}

// The neighbour with the largest common area, the lowest index of equals; RBL_NONE: none.
static uint32_t best_neighbour(MergeWork* work, uint32_t group, double* common)
{
    rblCut* cut = work->cut;
    uint32_t best = RBL_NONE;
    *common = 0.0;
    for (uint32_t side = work->heads[group]; side != RBL_NONE; side = work->next[side])
    {
        const uint32_t other = group_of(cut, work->sides[side ^ 1u]);
        if (other == group)
        {
            continue;
        }
        work->common[other] = work->stamps[other] == group ? work->common[other] : 0.0;
        work->stamps[other] = group;
        work->common[other] += fabs(cut->caps.data[side / 2].area);
    }
    for (uint32_t side = work->heads[group]; side != RBL_NONE; side = work->next[side])
    {
        const uint32_t other = group_of(cut, work->sides[side ^ 1u]);
        if (other != group && !is_excluded(cut, other) &&
            (best == RBL_NONE || work->common[other] > *common ||
             (work->common[other] == *common && other < best)))
        {
            best = other;
            *common = work->common[other];
        }
    }
    for (uint32_t side = work->heads[group]; side != RBL_NONE; side = work->next[side])
    {
        work->stamps[group_of(cut, work->sides[side ^ 1u])] = RBL_NONE;
    }
    return best;
}

static bool merge_crumbs(MergeWork* work)
{
    rblCut* cut = work->cut;
    const uint32_t max_pieces_left = cut->options->max_pieces > 0 ? cut->options->max_pieces : UINT32_MAX;
    bool stored = true;
    for (uint32_t s = 0; s < cut->shell_count && stored; ++s)
    {
        stored = cut->shells[s].group != s || is_excluded(cut, s) || push(work, (Crumb){work->volumes[s], s});
    }
    while (stored && work->heap.count > 0)
    {
        const Crumb crumb = pop(work);
        const bool current =
            cut->shells[crumb.group].group == crumb.group && work->volumes[crumb.group] == crumb.volume;
        double common;
        if (!current || (work->left <= max_pieces_left && !is_crumb(work, crumb.group)))
        {
            continue;
        }
        const uint32_t into = best_neighbour(work, crumb.group, &common);
        if (into != RBL_NONE)
        {
            const uint32_t group = merge_groups(work, crumb.group, into, common);
            cut->merged += 1;
            stored = push(work, (Crumb){work->volumes[group], group});
        }
    }
    return stored;
}

rblCutStatus rbl_cut_merge(rblCut* cut)
{
    MergeWork work = {.cut = cut};
    if (!allocate_arrays(&work))
    {
        return RBL_CUT_MEMORY;
    }
    if (cut->options->radius > 0.0)
    {
        rbl_cut_measure_nearness(cut);
    }
    begin_groups(&work);
    if (cut->options->regions != NULL)
    {
        join_regions(&work);
    }
    for (uint32_t cell = 0; cut->options->stray > 0.0 && cell < cut->cells->count; ++cell)
    {
        if (cell != cut->excluded)
        {
            join_strays(&work, cell);
        }
    }
    rbl_array_init(&work.heap, cut->allocator);
    const bool stored = merge_crumbs(&work);
    rbl_array_free(&work.heap);
    return stored ? RBL_CUT_OK : RBL_CUT_MEMORY;
}
