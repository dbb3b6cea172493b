#include "bvh/build/order.h"

#include "bvh/build/few_order.h"
#include "bvh/grid.h"
#include <string.h>

// A key has the centroid of a triangle on the grid and its index, in 64 bits: x in the highest bits, then y, z, index.
// Every partition is stable, so that triangles with equal centroids keep their order.

#define MIN_RANGE 16384 // keys per job, at least: enough work to pay for the start of a job
#define BATCH                                                                                                \
    256 // triangles whose indices are checked before they are used; their vertices stay in the L1 cache
#define BINS                                                                                                 \
    256u // of a partition: their counters fit into the L1 cache, and two passes cover 16 bits of a coordinate
#define SAMPLE 64   // this many evenly spaced keys choose the axis of a large node
#define LARGE  1024 // from this number of keys on, the axis of a node is chosen by the area heuristic
#define FEW    32   // up to this many keys are sorted by insertion
#define TOP_LEVELS                                                                                           \
    5 // levels whose nodes are split by all workers together; the subtrees below are ordered in parallel

// A subtree to be ordered: its keys are in `from`, `to` is the same range of the other buffer; leaves begin .. begin +
// count - 1, 2^height leaves wide.
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
        order->span; // local copies: otherwise the compiler reads them again after every store
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

// Partition a sample along every axis as the node will be, and take the axis with the lowest area heuristic.
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

// ---- partition ----

// Move the `wanted` smallest keys along one axis to the front. Keys are counted in bins first; the keys of the bin that
// contains the border are put between the others, and are then partitioned recursively.
typedef struct Partition
{
    uint64_t* from;
    uint64_t* to;
    uint32_t count;
    uint32_t wanted;
    uint32_t shift, mask;  // of the axis's field in a key
    uint32_t least, most;  // range of the coordinates
    uint32_t low, high;    // range of the bins; values outside count in the first or last bin
    uint32_t bin_shift;    // 2^bin_shift values per bin
    uint32_t first, last;  // values of the bin that contains the border
    uint32_t* counters;    // per block and bin
    uint32_t (*places)[3]; // per block: where to put the next key before, in and after that bin
} Partition;

static void count_bins(rblRange range, void* context)
{
    const Partition* partition = context;
    uint32_t* counters = partition->counters + (size_t)range.block * BINS;
    memset(counters, 0, sizeof *counters * BINS);
    const uint64_t* keys = partition->from;
    const int32_t low = (int32_t)partition->low;
    const uint32_t shift = partition->shift, mask = partition->mask, bin_shift = partition->bin_shift;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const int32_t above = (int32_t)((uint32_t)(keys[i] >> shift) & mask) - low;
        const uint32_t bin = (uint32_t)(above > 0 ? above : 0) >> bin_shift;
        counters[bin < BINS ? bin : BINS - 1] += 1;
    }
}

static void part_block(rblRange range, void* context)
{
    const Partition* partition = context;
    const uint64_t* keys = partition->from;
    uint64_t* to = partition->to;
    const uint32_t shift = partition->shift, mask = partition->mask;
    const uint32_t first = partition->first, width = partition->last - partition->first;
    uint32_t front = partition->places[range.block][0];
    uint32_t middle = partition->places[range.block][1];
    uint32_t back = partition->places[range.block][2];
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint64_t key = keys[i];
        const uint32_t x = (uint32_t)(key >> shift) & mask;
        if (x - first <= width) // rare
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

// Find the bin that contains the border from the counts of all blocks, then the offsets of every block.
static uint32_t find_border(Partition* partition, uint32_t blocks, uint32_t* before)
{
    uint32_t bin = 0;
    uint32_t sum = 0;
    uint32_t here = 0;
    for (;; ++bin)
    {
        here = 0;
        for (uint32_t b = 0; b < blocks; ++b)
        {
            here += partition->counters[b * BINS + bin];
        }
        if (sum + here >= partition->wanted)
        {
            break;
        }
        sum += here;
    }
    *before = sum;
    uint32_t next[3] = {0, sum, sum + here};
    memcpy(partition->places[0], next, sizeof next);
    for (uint32_t b = 1; b < blocks; ++b)
    {
        for (uint32_t i = 0; i < BINS; ++i)
        {
            next[i < bin ? 0 : (i == bin ? 1 : 2)] += partition->counters[(b - 1) * BINS + i];
        }
        memcpy(partition->places[b], next, sizeof next);
    }
    partition->first = bin == 0 ? partition->least : partition->low + (bin << partition->bin_shift);
    partition->last =
        bin == BINS - 1 ? partition->most : partition->low + ((bin + 1) << partition->bin_shift) - 1;
    return here;
}

// The result is in partition->to. One worker when `jobs` is null.
static void partition_keys(Partition* partition, rblJobs* jobs)
{
    for (;;)
    {
        partition->bin_shift = 0;
        while (partition->high - partition->low >= BINS << partition->bin_shift)
        {
            partition->bin_shift += 1;
        }
        const rblRange all = {.end = partition->count};
        uint32_t blocks = 1;
        if (jobs != NULL)
        {
            blocks = rbl_block_count(partition->count, MIN_RANGE);
            rbl_parallel_for(jobs, partition->count, MIN_RANGE, count_bins, partition);
        }
        else
        {
            count_bins(all, partition);
        }
        uint32_t before;
        const uint32_t inside = find_border(partition, blocks, &before);
        if (jobs != NULL)
        {
            rbl_parallel_for(jobs, partition->count, MIN_RANGE, part_block, partition);
        }
        else
        {
            part_block(all, partition);
        }
        partition->from += before;
        partition->to += before;
        partition->count = inside;
        partition->wanted -= before;
        if (partition->first == partition->last || partition->wanted == inside)
        {
            return;
        }
        if (inside <= FEW)
        {
            sort_few(partition->to, inside, partition->shift, partition->mask);
            return;
        }
        memcpy(partition->from, partition->to, sizeof *partition->to * inside);
        partition->least = partition->low = partition->first; // known exactly from here on
        partition->most = partition->high = partition->last;
        jobs = inside > MIN_RANGE ? jobs : NULL;
    }
}

// ---- the tree ----

// Split where the layout does: the left child is full, unless it can contain all leaves.
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
    Partition partition = {.from = tree->from,
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
    partition_keys(&partition, jobs);
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

// The first levels of a large tree. Returns the number of subtrees.
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
