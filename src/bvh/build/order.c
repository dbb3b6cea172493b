#include "bvh/build/order.h"

#include "bvh/build/few_order.h"
#include "bvh/grid.h"
#include <string.h>

// Keys hold a triangle's centroid on the grid and its index, in 64 bits: x in the highest bits, then y, z, index.
// Every parting is stable, so that equal centroids stay in the order of their triangles.

#define MIN_RANGE  16384
#define BATCH      256 // triangles whose indices are checked before they are used
#define BINS       256u
#define SAMPLE     64   // so many keys, evenly spaced, tell the axis of a large node
#define LARGE      1024 // from so many keys on a node's axis is chosen with care
#define FEW        32   // up to this many keys are sorted by insertion
#define TOP_LEVELS 5 // split with all workers at each node; the subtrees below them are ordered side by side

// A subtree to be ordered: its keys are in `from`, `to` is the same place in the other buffer; leaves begin ..
// begin + count - 1, 2^height leaves wide.
typedef struct Subtree
{
    uint64_t* from;
    uint64_t* to;
    uint32_t begin;
    uint32_t count;
    uint32_t height;
} Subtree;

typedef struct TopDown
{
    rblTriangleSpan span;
    rblGrid grid;
    rblKeyFields fields;
    uint64_t* keys;
    uint32_t smallest;
    uint32_t* order;
    Subtree subtrees[1 << TOP_LEVELS];
    uint32_t bad_triangles[RBL_MAX_BLOCKS]; // the first of each block, UINT32_MAX: none
} TopDown;

// ---- keys ----

static inline void put_keys(const rblKeyFields* fields, rblCells4 cells, uint32_t t, uint32_t count,
                            uint64_t* keys)
{
    uint32_t q[3][4];
    for (int a = 0; a < 3; ++a)
    {
        rbl_store_int4(q[a], cells.axis[a]);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        keys[t + i] = (uint64_t)q[0][i] << fields->shift[0] | (uint64_t)q[1][i] << fields->shift[1] |
                      (uint64_t)q[2][i] << fields->shift[2] | (t + i);
    }
}

static void make_keys(const TopDown* order, uint32_t begin, uint32_t end)
{
    const rblTriangleSpan span =
        order->span; // copies, or every store would make the compiler read them again
    const rblGrid grid = order->grid;
    const rblKeyFields fields = order->fields;
    uint32_t t = begin;
    for (; end - t >= 4; t += 4)
    {
        put_keys(&fields, rbl_grid_cells(&grid, &span, (const uint32_t[4]){t, t + 1, t + 2, t + 3}), t, 4,
                 order->keys);
    }
    for (; t < end; ++t)
    {
        put_keys(&fields, rbl_grid_cells(&grid, &span, (const uint32_t[4]){t, t, t, t}), t, 1, order->keys);
    }
}

static void make_block(rblRange range, void* context)
{
    TopDown* order = context;
    uint32_t bad = UINT32_MAX;
    for (uint32_t t = range.begin; t < range.end && bad == UINT32_MAX; t += BATCH)
    {
        const uint32_t end = range.end - t < BATCH ? range.end : t + BATCH;
        bad = rbl_span_find_bad_triangle(&order->span, t, end);
        if (bad == UINT32_MAX)
        {
            make_keys(order, t, end);
        }
    }
    order->bad_triangles[range.block] = bad;
}

// ---- choosing the axis ----

static void sort_few(uint64_t* keys, uint32_t count, uint32_t shift, uint32_t mask)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const uint64_t key = keys[i];
        const uint32_t x = (uint32_t)(key >> shift) & mask;
        uint32_t place = i;
        for (; place > 0 && ((uint32_t)(keys[place - 1] >> shift) & mask) > x; --place)
        {
            keys[place] = keys[place - 1];
        }
        keys[place] = key;
    }
}

typedef struct Extent
{
    uint32_t low[3], high[3];
} Extent;

static Extent measure(const rblKeyFields* fields, const uint64_t* keys, uint32_t count, uint32_t stride)
{
    Extent extent = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}};
    for (uint32_t i = 0; i < count; i += stride)
    {
        for (int a = 0; a < 3; ++a)
        {
            const uint32_t x = (uint32_t)(keys[i] >> fields->shift[a]) & fields->mask;
            extent.low[a] = x < extent.low[a] ? x : extent.low[a];
            extent.high[a] = x > extent.high[a] ? x : extent.high[a];
        }
    }
    return extent;
}

static int longest_axis(const Extent* extent)
{
    int best = 0;
    for (int a = 1; a < 3; ++a)
    {
        if (extent->high[a] - extent->low[a] > extent->high[best] - extent->low[best])
        {
            best = a;
        }
    }
    return best;
}

// Half the surface of the box around a sample's centroids, in grid steps.
static uint64_t half_area(const Extent* extent)
{
    const uint64_t x = extent->high[0] - extent->low[0];
    const uint64_t y = extent->high[1] - extent->low[1];
    const uint64_t z = extent->high[2] - extent->low[2];
    return x * y + y * z + z * x;
}

// Part a sample along every axis as the node will be, and take the axis with the least area heuristic.
static int cheapest_axis(const rblKeyFields* fields, const uint64_t* keys, uint32_t count, uint32_t wanted)
{
    uint64_t sample[SAMPLE];
    for (uint32_t i = 0; i < SAMPLE; ++i)
    {
        sample[i] = keys[(uint64_t)count * i / SAMPLE];
    }
    const uint32_t front = (uint32_t)(((uint64_t)wanted * SAMPLE + count / 2) / count);
    const uint32_t left = front < 1 ? 1 : (front > SAMPLE - 1 ? SAMPLE - 1 : front);
    int best = 0;
    uint64_t best_cost = UINT64_MAX;
    for (int a = 0; a < 3; ++a)
    {
        sort_few(sample, SAMPLE, fields->shift[a], fields->mask);
        const Extent before = measure(fields, sample, left, 1);
        const Extent behind = measure(fields, sample + left, SAMPLE - left, 1);
        const uint64_t cost = half_area(&before) * wanted + half_area(&behind) * (count - wanted);
        if (cost < best_cost)
        {
            best = a;
            best_cost = cost;
        }
    }
    return best;
}

// ---- parting ----

// The `wanted` keys least along one axis go to the front. Keys are counted in bins first; those in the bin on which
// the border falls go between the others, and are then parted in turn.
typedef struct Parting
{
    uint64_t* from;
    uint64_t* to;
    uint32_t count;
    uint32_t wanted;
    uint32_t shift, mask;  // of the axis's field in a key
    uint32_t least, most;  // what the coordinates may be
    uint32_t low, high;    // bins cover this range; what lies outside counts in the first or last
    uint32_t bin_shift;    // 2^bin_shift values a bin
    uint32_t first, last;  // values of the bin with the border
    uint32_t* counters;    // per block and bin
    uint32_t (*places)[3]; // per block: where to put the next key before, in and behind the border's bin
} Parting;

static void count_bins(rblRange range, void* context)
{
    const Parting* parting = context;
    uint32_t* counters = parting->counters + (size_t)range.block * BINS;
    memset(counters, 0, sizeof *counters * BINS);
    const uint64_t* keys = parting->from;
    const int32_t low = (int32_t)parting->low;
    const uint32_t shift = parting->shift, mask = parting->mask, bin_shift = parting->bin_shift;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const int32_t above = (int32_t)((uint32_t)(keys[i] >> shift) & mask) - low;
        const uint32_t bin = (uint32_t)(above > 0 ? above : 0) >> bin_shift;
        counters[bin < BINS ? bin : BINS - 1] += 1;
    }
}

static void part_block(rblRange range, void* context)
{
    const Parting* parting = context;
    const uint64_t* keys = parting->from;
    uint64_t* to = parting->to;
    const uint32_t shift = parting->shift, mask = parting->mask;
    const uint32_t first = parting->first, width = parting->last - parting->first;
    uint32_t front = parting->places[range.block][0];
    uint32_t middle = parting->places[range.block][1];
    uint32_t back = parting->places[range.block][2];
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint64_t key = keys[i];
        const uint32_t x = (uint32_t)(key >> shift) & mask;
        if (x - first <= width) // seldom
        {
            to[middle++] = key;
            continue;
        }
        const uint32_t behind = x > first;
        to[front ^ ((front ^ back) & (0u - behind))] = key; // a branch would be mispredicted half the time
        back += behind;
        front += behind ^ 1u;
    }
}

// Which bin has the border, from the counts of all blocks; then the places of every block.
static uint32_t find_border(Parting* parting, uint32_t blocks, uint32_t* before)
{
    uint32_t bin = 0;
    uint32_t sum = 0;
    uint32_t here = 0;
    for (;; ++bin)
    {
        here = 0;
        for (uint32_t b = 0; b < blocks; ++b)
        {
            here += parting->counters[b * BINS + bin];
        }
        if (sum + here >= parting->wanted)
        {
            break;
        }
        sum += here;
    }
    *before = sum;
    uint32_t next[3] = {0, sum, sum + here};
    memcpy(parting->places[0], next, sizeof next);
    for (uint32_t b = 1; b < blocks; ++b)
    {
        for (uint32_t i = 0; i < BINS; ++i)
        {
            next[i < bin ? 0 : (i == bin ? 1 : 2)] += parting->counters[(b - 1) * BINS + i];
        }
        memcpy(parting->places[b], next, sizeof next);
    }
    parting->first = bin == 0 ? parting->least : parting->low + (bin << parting->bin_shift);
    parting->last = bin == BINS - 1 ? parting->most : parting->low + ((bin + 1) << parting->bin_shift) - 1;
    return here;
}

// Leaves the keys in parting->to. One worker when `jobs` is null.
static void part(Parting* parting, rblJobs* jobs)
{
    for (;;)
    {
        parting->bin_shift = 0;
        while (parting->high - parting->low >= BINS << parting->bin_shift)
        {
            parting->bin_shift += 1;
        }
        const rblRange all = {.end = parting->count};
        uint32_t blocks = 1;
        if (jobs != NULL)
        {
            blocks = rbl_block_count(parting->count, MIN_RANGE);
            rbl_parallel_for(jobs, parting->count, MIN_RANGE, count_bins, parting);
        }
        else
        {
            count_bins(all, parting);
        }
        uint32_t before;
        const uint32_t inside = find_border(parting, blocks, &before);
        if (jobs != NULL)
        {
            rbl_parallel_for(jobs, parting->count, MIN_RANGE, part_block, parting);
        }
        else
        {
            part_block(all, parting);
        }
        parting->from += before;
        parting->to += before;
        parting->count = inside;
        parting->wanted -= before;
        if (parting->first == parting->last || parting->wanted == inside)
        {
            return;
        }
        if (inside <= FEW)
        {
            sort_few(parting->to, inside, parting->shift, parting->mask);
            return;
        }
        memcpy(parting->from, parting->to, sizeof *parting->to * inside);
        parting->least = parting->low = parting->first; // known exactly from here on
        parting->most = parting->high = parting->last;
        jobs = inside > MIN_RANGE ? jobs : NULL;
    }
}

// ---- the tree ----

// Split where the layout does: the left child is full, unless all leaves fit into it.
static void split(const rblKeyFields* fields, const Subtree* tree, rblJobs* jobs, uint32_t* counters,
                  Subtree* left, Subtree* right)
{
    const uint32_t half = 1u << (tree->height - 1);
    if (tree->count <= half)
    {
        *left = *tree;
        left->height -= 1;
        *right = (Subtree){0};
        return;
    }
    const Extent extent =
        measure(fields, tree->from, tree->count, tree->count > SAMPLE ? tree->count / SAMPLE : 1);
    const int axis =
        tree->count >= LARGE ? cheapest_axis(fields, tree->from, tree->count, half) : longest_axis(&extent);
    uint32_t places[RBL_MAX_BLOCKS][3];
    Parting parting = {.from = tree->from,
                       .to = tree->to,
                       .count = tree->count,
                       .wanted = half,
                       .shift = fields->shift[axis],
                       .mask = fields->mask,
                       .most = fields->mask,
                       .low = extent.low[axis],
                       .high = extent.high[axis],
                       .counters = counters,
                       .places = places};
    part(&parting, jobs);
    *left = (Subtree){tree->to, tree->from, tree->begin, half, tree->height - 1};
    *right = (Subtree){tree->to + half, tree->from + half, tree->begin + half, tree->count - half,
                       tree->height - 1};
}

static void order_subtree(const TopDown* order, Subtree tree)
{
    while (tree.count > RBL_FEW_LEAVES)
    {
        uint32_t counters[BINS];
        Subtree left, right;
        split(&order->fields, &tree, NULL, counters, &left, &right);
        if (right.count > 0)
        {
            order_subtree(order, right);
        }
        tree = left;
    }
    rbl_order_few(&order->fields, tree.from, tree.count, tree.height, order->smallest,
                  order->order + tree.begin);
}

static void order_subtrees(rblRange range, void* context)
{
    const TopDown* order = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        order_subtree(order, order->subtrees[i]);
    }
}

// The first levels of a large tree. Returns how many subtrees it is cut into.
static uint32_t split_top(TopDown* order, rblJobs* jobs, uint32_t* counters)
{
    uint32_t count = 1;
    for (int level = 0; level < TOP_LEVELS; ++level)
    {
        Subtree next[1 << TOP_LEVELS];
        uint32_t next_count = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            Subtree left, right;
            split(&order->fields, &order->subtrees[i], jobs, counters, &left, &right);
            next[next_count++] = left;
            if (right.count > 0)
            {
                next[next_count++] = right;
            }
        }
        memcpy(order->subtrees, next, sizeof *next * next_count);
        count = next_count;
    }
    return count;
}

rblSpanFault rbl_order_top_down(const rblOrdering* ordering, uint32_t smallest)
{
    const uint32_t leaves = ordering->span->triangle_count;
    TopDown order = {.span = *ordering->span,
                     .fields = rbl_key_fields(leaves),
                     .keys = ordering->keys,
                     .smallest = smallest,
                     .order = ordering->order};
    order.grid = rbl_grid_over(ordering->bounds, order.fields.axis_bits);
    rbl_parallel_for(ordering->jobs, leaves, MIN_RANGE, make_block, &order);
    for (uint32_t b = 0; b < rbl_block_count(leaves, MIN_RANGE); ++b)
    {
        if (order.bad_triangles[b] != UINT32_MAX)
        {
            return (rblSpanFault){RBL_SPAN_BAD_TRIANGLE, order.bad_triangles[b]};
        }
    }
    order.subtrees[0] = (Subtree){order.keys, order.keys + leaves, 0, leaves, rbl_ceil_log2(leaves)};
    const uint32_t count =
        leaves > RBL_SMALL_TREE ? split_top(&order, ordering->jobs, ordering->counters) : 1;
    rbl_parallel_for(ordering->jobs, count, 1, order_subtrees, &order);
    return (rblSpanFault){RBL_SPAN_FINE, 0};
}
