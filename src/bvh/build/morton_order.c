#include "bvh/build/order.h"
#include "bvh/build/radix_sort.h"
#include "bvh/grid.h"
#include <string.h>

// A key is code << index_bits | triangle, so keys are never equal and every sort gives the same order.
//
// Small trees are sorted as a whole. Large ones are first distributed to buckets by the highest bits of the code, which
// every block of the loop counts while it makes the codes; then every bucket is sorted within the L1 or L2 cache.

#define MIN_RANGE        16384 // triangles per job, at least: enough work to pay for the start of a job
#define BATCH            256 // triangles whose indices are checked before they are used; they stay in the L1 cache
#define SHORT_CODE_LIMIT 2000000 // up to this number of triangles a code of 30 bits is long enough
#define MAX_TOP_BITS     11      // RBL_ORDER_COUNTERS has this many counters per block

typedef struct Morton
{
    rblTriangleSpan span;
    rblGrid grid;
    uint32_t count;
    uint32_t index_bits;
    uint32_t code_bits;
    uint32_t top_bits; // 0: no buckets
    uint64_t* keys;
    uint64_t* other;
    uint32_t* counters; // per block and bucket
    uint32_t* order;
    uint32_t bad_triangles[RBL_MAX_BLOCKS]; // the first of each block, UINT32_MAX: none
} Morton;

// ---- codes ----

static inline rblInt4 spread4(rblInt4 cells)
{
    cells = rbl_spread_step4(cells, 16, 0x030000FFu);
    cells = rbl_spread_step4(cells, 8, 0x0300F00Fu);
    cells = rbl_spread_step4(cells, 4, 0x030C30C3u);
    return rbl_spread_step4(cells, 2, 0x09249249u);
}

static inline rblInt4 interleave4(rblInt4 x, rblInt4 y, rblInt4 z)
{
    return rbl_or_shift4(rbl_or_shift4(spread4(z), spread4(y), 1), spread4(x), 2);
}

static inline void short_codes(rblCells4 cells, uint64_t codes[4])
{
    uint32_t out[4];
    rbl_store_int4(out, interleave4(cells.axis[0], cells.axis[1], cells.axis[2]));
    for (int i = 0; i < 4; ++i)
    {
        codes[i] = out[i];
    }
}

// Coordinates of more than ten bits: the highest ten bits and the others are interleaved separately.
static inline void long_codes(rblCells4 cells, uint32_t low_bits, uint64_t codes[4])
{
    const uint32_t mask = (1u << low_bits) - 1;
    const rblInt4* q = cells.axis;
    uint32_t high[4];
    uint32_t low[4];
    rbl_store_int4(high, interleave4(rbl_field4(q[0], low_bits, 1023), rbl_field4(q[1], low_bits, 1023),
                                     rbl_field4(q[2], low_bits, 1023)));
    rbl_store_int4(
        low, interleave4(rbl_field4(q[0], 0, mask), rbl_field4(q[1], 0, mask), rbl_field4(q[2], 0, mask)));
    for (int i = 0; i < 4; ++i)
    {
        codes[i] = (uint64_t)high[i] << 3 * low_bits | low[i];
    }
}

static inline void make_codes(rblCells4 cells, uint32_t low_bits, uint64_t codes[4])
{
    if (low_bits == 0)
    {
        short_codes(cells, codes);
    }
    else
    {
        long_codes(cells, low_bits, codes);
    }
}

typedef struct KeyShape
{
    uint32_t index_bits;
    uint32_t top_shift;
} KeyShape;

// Keys of up to four triangles from t on; also count the keys of each bucket.
static inline void put_keys(KeyShape shape, const uint64_t codes[4], uint32_t t, uint32_t count,
                            uint64_t* keys, uint32_t* counters)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        keys[t + i] = codes[i] << shape.index_bits | (t + i);
        counters[codes[i] >> shape.top_shift] += 1;
    }
}

static void make_keys(const Morton* morton, uint32_t begin, uint32_t end, uint32_t* counters)
{
    const rblTriangleSpan span =
        morton->span; // local copies: otherwise the compiler reads them again after every store
    const rblGrid grid = morton->grid;
    const KeyShape shape = {morton->index_bits, morton->code_bits - morton->top_bits};
    const uint32_t low_bits = morton->code_bits > 30 ? morton->code_bits / 3 - 10 : 0;
    uint64_t* keys = morton->keys;
    uint64_t codes[4];
    uint32_t t = begin;
    for (; end - t >= 4; t += 4)
    {
        const rblCells4 cells = rbl_grid_cells(&grid, &span, (const uint32_t[4]){t, t + 1, t + 2, t + 3});
        make_codes(cells, low_bits, codes);
        put_keys(shape, codes, t, 4, keys, counters);
    }
    for (; t < end; ++t)
    {
        const rblCells4 cells = rbl_grid_cells(&grid, &span, (const uint32_t[4]){t, t, t, t});
        make_codes(cells, low_bits, codes);
        put_keys(shape, codes, t, 1, keys, counters);
    }
}

static void make_block(rblRange range, void* context)
{
    Morton* morton = context;
    uint32_t* counters = morton->counters + ((size_t)range.block << morton->top_bits);
    memset(counters, 0, sizeof *counters << morton->top_bits);
    uint32_t bad = UINT32_MAX;
    for (uint32_t t = range.begin; t < range.end && bad == UINT32_MAX; t += BATCH)
    {
        const uint32_t end = range.end - t < BATCH ? range.end : t + BATCH;
        bad = rbl_span_find_bad_triangle(&morton->span, t, end);
        if (bad == UINT32_MAX)
        {
            make_keys(morton, t, end, counters);
        }
    }
    morton->bad_triangles[range.block] = bad;
}

// ---- buckets ----

// Turn counts into offsets: bucket by bucket, and within a bucket block by block. Returns the size of the largest
// bucket.
static uint32_t find_offsets(const Morton* morton, uint32_t blocks)
{
    uint32_t starts[1 << MAX_TOP_BITS] = {0};
    const uint32_t buckets = 1u << morton->top_bits;
    for (uint32_t block = 0; block < blocks; ++block)
    {
        for (uint32_t i = 0; i < buckets; ++i)
        {
            starts[i] += morton->counters[block * buckets + i];
        }
    }
    uint32_t sum = 0;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < buckets; ++i)
    {
        const uint32_t size = starts[i];
        starts[i] = sum;
        sum += size;
        largest = size > largest ? size : largest;
    }
    for (uint32_t block = 0; block < blocks; ++block)
    {
        for (uint32_t i = 0; i < buckets; ++i)
        {
            uint32_t* counter = &morton->counters[block * buckets + i];
            const uint32_t size = *counter;
            *counter = starts[i];
            starts[i] += size;
        }
    }
    return largest;
}

static void distribute_block(rblRange range, void* context)
{
    const Morton* morton = context;
    uint32_t* offsets = morton->counters + ((size_t)range.block << morton->top_bits);
    const uint32_t shift = morton->index_bits + morton->code_bits - morton->top_bits;
    const uint64_t* keys = morton->keys;
    uint64_t* other = morton->other;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint64_t key = keys[i];
        other[offsets[key >> shift]++] = key;
    }
}

static void sort_buckets(rblRange range, void* context)
{
    const Morton* morton = context;
    const uint32_t last_block = rbl_block_count(morton->count, MIN_RANGE) - 1;
    const uint32_t* ends = morton->counters + ((size_t)last_block << morton->top_bits); // after distribution
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t begin = i > 0 ? ends[i - 1] : 0;
        rbl_sort_packed(morton->other + begin, morton->keys + begin, ends[i] - begin, morton->index_bits,
                        morton->code_bits - morton->top_bits, morton->order + begin);
    }
}

static void take_block(rblRange range, void* context)
{
    const Morton* morton = context;
    rbl_take_indices(morton->keys + range.begin, range.end - range.begin, morton->index_bits,
                     morton->order + range.begin);
}

static void sort_large(Morton* morton, rblJobs* jobs)
{
    // Distant outliers put most triangles in one bucket, which only one worker would sort.
    if (find_offsets(morton, rbl_block_count(morton->count, MIN_RANGE)) > morton->count / 4)
    {
        morton->keys = rbl_radix_sort(jobs, morton->keys, morton->other, morton->count, morton->index_bits,
                                      morton->code_bits, morton->counters);
        rbl_parallel_for(jobs, morton->count, MIN_RANGE, take_block, morton);
        return;
    }
    rbl_parallel_for(jobs, morton->count, MIN_RANGE, distribute_block, morton);
    rbl_parallel_for(jobs, 1u << morton->top_bits, 1, sort_buckets, morton);
}

// 30 bits give a million triangles of a surface a cell each. More triangles need a finer grid, as far as the index
// leaves bits for it. A few thousand triangles or fewer use a coarser grid, with six or more steps per edge length on an
// even surface, which needs fewer sorting passes.
static uint32_t code_bits_for(uint32_t count, uint32_t index_bits)
{
    const uint32_t free_bits = (64 - index_bits) / 3;
    const uint32_t fine = index_bits / 2 + (count < SHORT_CODE_LIMIT ? 3 : 1);
    const uint32_t wanted = count < SHORT_CODE_LIMIT && fine > 10 ? 10 : fine;
    return 3 * (wanted < free_bits ? wanted : free_bits);
}

rblSpanFault rbl_order_morton(const rblOrdering* ordering)
{
    const uint32_t count = ordering->span->triangle_count;
    const uint32_t index_bits = rbl_ceil_log2(count);
    const bool small = count <= RBL_SMALL_TREE;
    uint32_t one_counter[RBL_SMALL_TREE / MIN_RANGE];
    Morton morton = {.span = *ordering->span,
                     .count = count,
                     .index_bits = index_bits,
                     .code_bits = code_bits_for(count, index_bits),
                     .top_bits = small ? 0 : (count < SHORT_CODE_LIMIT ? 10 : MAX_TOP_BITS),
                     .keys = ordering->keys,
                     .other = ordering->keys + count,
                     .counters = small ? one_counter : ordering->counters,
                     .order = ordering->order};
    morton.grid = rbl_grid_over(ordering->bounds, morton.code_bits / 3);
    rbl_parallel_for(ordering->jobs, count, MIN_RANGE, make_block, &morton);
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_RANGE); ++b)
    {
        if (morton.bad_triangles[b] != UINT32_MAX)
        {
            return (rblSpanFault){RBL_SPAN_BAD_TRIANGLE, morton.bad_triangles[b]};
        }
    }
    if (small)
    {
        rbl_sort_packed(morton.keys, morton.other, count, morton.index_bits, morton.code_bits, morton.order);
    }
    else
    {
        sort_large(&morton, ordering->jobs);
    }
    return (rblSpanFault){RBL_SPAN_FINE, 0};
}
