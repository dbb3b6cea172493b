#include "bvh/build/radix_sort.h"

#include <string.h>

// One pass over one digit. Each worker has one block of the input: its histogram becomes its write offsets.
typedef struct Pass
{
    const uint64_t* in;
    uint64_t* out;
    uint32_t count;
    uint32_t blocks;
    uint32_t shift;
    uint32_t mask;
    uint32_t* histograms; // blocks * (mask + 1)
} Pass;

static uint32_t block_begin(const Pass* pass, uint32_t block)
{
    return (uint32_t)((uint64_t)pass->count * block / pass->blocks);
}

static void count_digits(rblRange range, void* context)
{
    const Pass* pass = context;
    for (uint32_t block = range.begin; block < range.end; ++block)
    {
        uint32_t* histogram = pass->histograms + (size_t)block * (pass->mask + 1);
        memset(histogram, 0, sizeof *histogram * (pass->mask + 1));
        const uint32_t end = block_begin(pass, block + 1);
        for (uint32_t i = block_begin(pass, block); i < end; ++i)
        {
            histogram[(uint32_t)(pass->in[i] >> pass->shift) & pass->mask] += 1;
        }
    }
}

// Turn counts into offsets: digit by digit, and within a digit block by block, which keeps the sort stable. Returns
// false when all items have the same digit; the pass can then be skipped.
static bool scan_histograms(const Pass* pass)
{
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit <= pass->mask; ++digit)
    {
        const uint32_t before = sum;
        for (uint32_t block = 0; block < pass->blocks; ++block)
        {
            uint32_t* counter = &pass->histograms[(size_t)block * (pass->mask + 1) + digit];
            const uint32_t count = *counter;
            *counter = sum;
            sum += count;
        }
        if (sum - before == pass->count)
        {
            return false;
        }
    }
    return true;
}

static void scatter(rblRange range, void* context)
{
    const Pass* pass = context;
    for (uint32_t block = range.begin; block < range.end; ++block)
    {
        uint32_t* places = pass->histograms + (size_t)block * (pass->mask + 1);
        const uint32_t end = block_begin(pass, block + 1);
        for (uint32_t i = block_begin(pass, block); i < end; ++i)
        {
            const uint64_t item = pass->in[i];
            pass->out[places[(uint32_t)(item >> pass->shift) & pass->mask]++] = item;
        }
    }
}

uint64_t* rbl_radix_sort(rblJobs* jobs, uint64_t* items, uint64_t* scratch, uint32_t count, uint32_t shift,
                         uint32_t bits, uint32_t* histograms)
{
    const uint32_t passes = (bits + RBL_RADIX_BITS - 1) / RBL_RADIX_BITS;
    uint64_t* in = items;
    uint64_t* out = scratch;
    uint32_t done = 0;
    for (uint32_t p = 0; p < passes; ++p)
    {
        const uint32_t width = (bits - done + (passes - p) - 1) / (passes - p); // even digits
        Pass pass = {in,        out, count, rbl_jobs_worker_count(jobs), shift + done, (1u << width) - 1,
                     histograms};
        rbl_parallel_for(jobs, pass.blocks, 1, count_digits, &pass);
        if (scan_histograms(&pass))
        {
            rbl_parallel_for(jobs, pass.blocks, 1, scatter, &pass);
            uint64_t* swap = in;
            in = out;
            out = swap;
        }
        done += width;
    }
    return in;
}

// ---- one worker ----

#define INSERTION_LIMIT 32   // items up to which an insertion sort is used
#define COUNTERS        4096 // of all passes together; they fit into the L1 cache

void rbl_take_indices(const uint64_t* items, uint32_t count, uint32_t index_bits, uint32_t* out)
{
    const uint32_t mask = index_bits < 32 ? (1u << index_bits) - 1 : UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] = (uint32_t)items[i] & mask;
    }
}

static void sort_by_insertion(uint64_t* items, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const uint64_t item = items[i];
        uint32_t place = i;
        for (; place > 0 && items[place - 1] > item; --place)
        {
            items[place] = items[place - 1];
        }
        items[place] = item;
    }
}

typedef struct Digits
{
    uint32_t shift; // of the lowest digit
    uint32_t width;
    uint32_t passes;
    uint32_t counters[COUNTERS]; // of every pass
} Digits;

static void count_all_digits(Digits* digits, const uint64_t* items, uint32_t count)
{
    const uint32_t width = digits->width;
    const uint32_t mask = (1u << width) - 1;
    memset(digits->counters, 0, sizeof *digits->counters * (digits->passes << width));
    for (uint32_t p = 0; p + 1 < digits->passes; p += 2) // two at a time
    {
        uint32_t* low = digits->counters + (p << width);
        uint32_t* high = low + mask + 1;
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint64_t key = items[i] >> (digits->shift + p * width);
            low[(uint32_t)key & mask] += 1;
            high[(uint32_t)(key >> width) & mask] += 1;
        }
    }
    if (digits->passes % 2 != 0)
    {
        const uint32_t p = digits->passes - 1;
        for (uint32_t i = 0; i < count; ++i)
        {
            digits->counters[(p << width) + ((uint32_t)(items[i] >> (digits->shift + p * width)) & mask)] +=
                1;
        }
    }
}

// Turn counts into offsets. False when all items have the same digit; the pass can then be skipped.
static bool counts_to_offsets(uint32_t* counters, uint32_t digits, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < digits; ++digit)
    {
        const uint32_t here = counters[digit];
        if (here == count)
        {
            return false;
        }
        counters[digit] = sum;
        sum += here;
    }
    return true;
}

void rbl_sort_packed(uint64_t* items, uint64_t* scratch, uint32_t count, uint32_t index_bits, uint32_t bits,
                     uint32_t* out)
{
    if (count <= INSERTION_LIMIT)
    {
        sort_by_insertion(items, count);
        rbl_take_indices(items, count, index_bits, out);
        return;
    }
    const uint32_t widest = count < 1024 || bits > 40 ? 8 : 10;
    Digits digits; // not initialised: most of its counters are not used
    digits.shift = index_bits;
    digits.passes = (bits + widest - 1) / widest;
    digits.width = (bits + digits.passes - 1) / digits.passes;
    count_all_digits(&digits, items, count);
    const uint32_t mask = (1u << digits.width) - 1;
    for (uint32_t p = 0; p < digits.passes; ++p)
    {
        uint32_t* places = digits.counters + (p << digits.width);
        const uint32_t shift = digits.shift + p * digits.width;
        if (!counts_to_offsets(places, mask + 1, count))
        {
            continue;
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint64_t item = items[i];
            scratch[places[(uint32_t)(item >> shift) & mask]++] = item;
        }
        uint64_t* swap = items;
        items = scratch;
        scratch = swap;
    }
    rbl_take_indices(items, count, index_bits, out);
}
