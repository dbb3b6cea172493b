#include "bvh/build/few_order.h"

#include "math/simd.h"

// A key in four lanes of 16 bits, none of them negative: x, y, z and the index among the given keys.
typedef struct FewKey
{
    int16_t lane[4];
} FewKey;

#define PADDED (RBL_FEW_LEAVES + 16) // loads can extend past the last key or rank

typedef struct FewOrder
{
    const rblKeyFields* fields;
    const uint64_t* keys;
    uint32_t smallest;
    uint32_t* order;
} FewOrder;

// The longest axis, its lower end and its length.
typedef struct LongestAxis
{
    int axis;
    int low;
    int length;
} LongestAxis;

static LongestAxis find_longest_axis(FewKey* keys, uint32_t count)
{
    // Each load has two keys. An odd count occurs only at the end of the array, which has padding.
    if (count % 2 != 0)
    {
        keys[count] = keys[0];
    }
    rblShort8 low = rbl_load_short8(keys[0].lane);
    rblShort8 high = low;
    for (uint32_t i = 2; i < count; i += 2)
    {
        const rblShort8 two = rbl_load_short8(keys[i].lane);
        low = rbl_min_short8(low, two);
        high = rbl_max_short8(high, two);
    }
    int16_t lows[8];
    int16_t highs[8];
    rbl_store_short8(lows, low);
    rbl_store_short8(highs, high);
    LongestAxis longest = {0, 0, -1};
    for (int a = 0; a < 3; ++a)
    {
        const int least = lows[a] < lows[a + 4] ? lows[a] : lows[a + 4];
        const int most = highs[a] > highs[a + 4] ? highs[a] : highs[a + 4];
        longest = most - least > longest.length ? (LongestAxis){a, least, most - least} : longest;
    }
    return longest;
}

// The order of the keys along their longest axis: coordinate first, then index, so that no two ranks are equal. A rank
// has 15 bits: with many keys the lowest bits of the coordinates are dropped.
static void rank_keys(FewKey* keys, uint32_t count, int16_t ranks[PADDED])
{
    const LongestAxis longest = find_longest_axis(keys, count);
    const uint32_t place_bits = rbl_ceil_log2(count);
    uint32_t drop = 0;
    while (longest.length >> drop >> (15 - place_bits) != 0)
    {
        drop += 1;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        ranks[i] = (int16_t)((keys[i].lane[longest.axis] - longest.low) >> drop << place_bits | (int)i);
    }
}

// For every key the number of smaller keys, without branches.
static void count_less(const int16_t ranks[PADDED], uint32_t count, int16_t less[PADDED])
{
    for (uint32_t i = 0; i < count; i += 16)
    {
        const rblShort8 first = rbl_load_short8(ranks + i);
        const rblShort8 second = rbl_load_short8(ranks + i + 8);
        rblShort8 less_first = rbl_splat_short8(0);
        rblShort8 less_second = rbl_splat_short8(0);
        for (uint32_t j = 0; j < count; ++j)
        {
            const rblShort8 rank = rbl_splat_short8(ranks[j]);
            less_first = rbl_count_less_short8(less_first, rank, first);
            less_second = rbl_count_less_short8(less_second, rank, second);
        }
        rbl_store_short8(less + i, less_first);
        rbl_store_short8(less + i + 8, less_second);
    }
}

static void part_few(FewKey* from, FewKey* to, uint32_t count, uint32_t wanted)
{
    int16_t ranks[PADDED];
    int16_t less[PADDED];
    rbl_store_short8(ranks + (count & ~7u),
                     rbl_splat_short8(0)); // initialises the lanes that are read but not used
    rbl_store_short8(ranks + ((count + 8) & ~7u), rbl_splat_short8(0));
    rank_keys(from, count, ranks);
    count_less(ranks, count, less);
    uint32_t front = 0;
    uint32_t back = wanted;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t behind = less[i] >= (int16_t)wanted;
        to[front ^ ((front ^ back) & (0u - behind))] =
            from[i]; // a branch would be mispredicted half the time
        back += behind;
        front += behind ^ 1u;
    }
}

static void order_few(const FewOrder* few, FewKey* from, FewKey* to, uint32_t begin, uint32_t count,
                      uint32_t height)
{
    while (count > few->smallest && count > 2) // the order of two leaves does not matter
    {
        height -= 1;
        const uint32_t half = 1u << height;
        if (count <= half)
        {
            continue;
        }
        part_few(from, to, count, half);
        order_few(few, to + half, from + half, begin + half, count - half, height);
        FewKey* swap = from;
        from = to;
        to = swap;
        count = half;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        few->order[begin + i] = (uint32_t)few->keys[from[i].lane[3]] & few->fields->index_mask;
    }
}

void rbl_order_few(const rblKeyFields* fields, const uint64_t* keys, uint32_t count, uint32_t height,
                   uint32_t smallest, uint32_t* order)
{
    FewKey here[PADDED];
    FewKey there[PADDED];
    for (uint32_t i = 0; i < count; ++i)
    {
        for (int a = 0; a < 3; ++a)
        {
            here[i].lane[a] = (int16_t)((uint32_t)(keys[i] >> fields->shift[a]) & fields->mask);
        }
        here[i].lane[3] = (int16_t)i;
    }
    const FewOrder few = {fields, keys, smallest, order};
    order_few(&few, here, there, 0, count, height);
}
