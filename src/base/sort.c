#include "base/sort.h"

#include <string.h>

typedef struct Order
{
    rblBeforeFcn* before;
    const void* context;
} Order;

bool rbl_before_by_value(uint32_t a, uint32_t b, const void* context)
{
    (void)context;
    return a < b;
}

// Elements of a run that is sorted by insertion; merging starts from there.
#define SHORT_RUN 8

static void sort_short_run(uint32_t* items, size_t count, const Order* order)
{
    for (size_t i = 1; i < count; ++i)
    {
        const uint32_t item = items[i];
        size_t hole = i;
        for (; hole > 0 && order->before(item, items[hole - 1], order->context); --hole)
        {
            items[hole] = items[hole - 1];
        }
        items[hole] = item;
    }
}

// Merge in[0 .. middle) and in[middle .. count); of equal elements those of the left run come first.
static void merge_runs(const uint32_t* in, size_t middle, size_t count, uint32_t* out, const Order* order)
{
    size_t left = 0;
    size_t right = middle;
    for (size_t i = 0; i < count; ++i)
    {
        const bool take_right =
            left == middle || (right < count && order->before(in[right], in[left], order->context));
        out[i] = take_right ? in[right++] : in[left++];
    }
}

void rbl_sort_indices(uint32_t* items, uint32_t* scratch, size_t count, rblBeforeFcn* before,
                      const void* context)
{
    const Order order = {before, context};
    for (size_t begin = 0; begin < count; begin += SHORT_RUN)
    {
        sort_short_run(items + begin, count - begin < SHORT_RUN ? count - begin : SHORT_RUN, &order);
    }
    uint32_t* in = items;
    uint32_t* out = scratch;
    for (size_t run = SHORT_RUN; run < count; run *= 2)
    {
        for (size_t begin = 0; begin < count; begin += 2 * run)
        {
            const size_t left = count - begin;
            merge_runs(in + begin, left < run ? left : run, left < 2 * run ? left : 2 * run, out + begin,
                       &order);
        }
        uint32_t* swap = in;
        in = out;
        out = swap;
    }
    if (in != items)
    {
        memcpy(items, in, count * sizeof *items);
    }
}
