#include "dynamics/broad_phase/broad_phase_pairs.h"

#include <string.h>

// ---- tuning ----
#define MIN_RANGE 4096 // pairs per block of a parallel loop

// A section of the merge: the old pairs and the found pairs between the same two keys. Pairs that are kept or begin go to the
// front of its part of `next`, pairs that end go to the back in reverse order. Both fit, since every old pair is either kept or
// ends.
typedef struct Section
{
    size_t old_begin, old_end;
    size_t found_begin, found_end;
    size_t kept, begun, ended;
} Section;

typedef struct Merge
{
    const rblPairSet* set;
    const rblPairChange* change;
    Section sections[RBL_MAX_BLOCKS];
} Merge;

void rbl_pair_set_init(rblPairSet* set, const rblAllocator* allocator)
{
    *set = (rblPairSet){.allocator = allocator};
}

void rbl_pair_set_free(rblPairSet* set)
{
    RBL_FREE_ARRAY(set->allocator, set->pairs, set->capacity);
    RBL_FREE_ARRAY(set->allocator, set->next, set->capacity);
    rbl_pair_set_init(set, set->allocator);
}

static bool reserve(rblPairSet* set, size_t needed, size_t ample)
{
    if (needed <= set->capacity)
    {
        return true;
    }
    const size_t capacity = 2 * needed > ample ? 2 * needed : ample;
    rblProxyPair* pairs = RBL_NEW_ARRAY(set->allocator, rblProxyPair, capacity);
    rblProxyPair* next = RBL_NEW_ARRAY(set->allocator, rblProxyPair, capacity);
    if (pairs == NULL || next == NULL)
    {
        RBL_FREE_ARRAY(set->allocator, pairs, capacity);
        RBL_FREE_ARRAY(set->allocator, next, capacity);
        return false;
    }
    if (set->count > 0)
    {
        memcpy(pairs, set->pairs, sizeof *pairs * set->count);
    }
    const size_t count = set->count;
    rbl_pair_set_free(set);
    set->pairs = pairs;
    set->next = next;
    set->count = count;
    set->capacity = capacity;
    return true;
}

bool rbl_pair_set_assign(rblPairSet* set, const rblProxyPair* pairs, size_t count)
{
    if (!reserve(set, count, 0))
    {
        return false;
    }
    if (count > 0)
    {
        memcpy(set->pairs, pairs, sizeof *pairs * count);
    }
    set->count = count;
    return true;
}

static inline uint64_t pack(rblProxyPair pair, uint32_t shift)
{
    return (uint64_t)pair.a << shift | pair.b;
}

static inline rblProxyPair unpack(uint64_t key, uint32_t shift)
{
    return (rblProxyPair){(uint32_t)(key >> shift), (uint32_t)(key & (((uint64_t)1 << shift) - 1))};
}

// ---- one section ----

// Output positions of a section.
typedef struct Output
{
    rblProxyPair* kept;
    rblProxyPair* ended; // grows downwards
    uint64_t* begun;     // overwrites found pairs that were read already
} Output;

static inline uint8_t pair_flags(const rblPairChange* change, rblProxyPair pair)
{
    return change->flags[pair.a] | change->flags[pair.b];
}

// An old pair that was not found: its boxes separated, or none of its proxies is marked.
static inline void merge_missing(const rblPairChange* change, rblProxyPair pair, Output* out)
{
    const uint8_t reasons = RBL_PROXY_REMOVED | RBL_PROXY_MARKED;
    if ((pair_flags(change, pair) & reasons) != 0)
    {
        *--out->ended = pair;
    }
    else
    {
        *out->kept++ = pair;
    }
}

static inline void merge_new(const rblPairChange* change, uint64_t key, Output* out)
{
    const rblProxyPair pair = unpack(key, change->shift);
    if (change->filter(pair.a, pair.b, change->context))
    {
        *out->kept++ = pair;
        *out->begun++ = key;
    }
}

// An old pair that was found again. When one of its proxies was removed and added again, the old pair ends and a new one
// begins.
static inline void merge_known(const rblPairChange* change, rblProxyPair pair, uint64_t key, Output* out)
{
    const uint8_t flags = pair_flags(change, pair);
    if ((flags & RBL_PROXY_REMOVED) != 0)
    {
        *--out->ended = pair;
        merge_new(change, key, out);
    }
    else if ((flags & RBL_PROXY_TOUCHED) == 0 || change->filter(pair.a, pair.b, change->context))
    {
        *out->kept++ = pair;
    }
    else
    {
        *--out->ended = pair;
    }
}

static void merge_section(const Merge* merge, Section* section)
{
    const rblPairChange* change = merge->change;
    if (section->old_begin == section->old_end && section->found_begin == section->found_end)
    {
        section->kept = section->ended = section->begun = 0; // the arrays may be null
        return;
    }
    const rblProxyPair* pairs = merge->set->pairs;
    rblProxyPair* const first = merge->set->next + section->old_begin + section->found_begin;
    rblProxyPair* const last = merge->set->next + section->old_end + section->found_end;
    uint64_t* const begun = change->found != NULL ? change->found + section->found_begin : NULL;
    Output out = {first, last, begun};
    size_t old = section->old_begin;
    size_t found = section->found_begin;
    while (old < section->old_end && found < section->found_end)
    {
        const uint64_t old_key = pack(pairs[old], change->shift);
        const uint64_t found_key = change->found[found];
        if (old_key == found_key)
        {
            merge_known(change, pairs[old], found_key, &out);
        }
        else if (old_key < found_key)
        {
            merge_missing(change, pairs[old], &out);
        }
        else
        {
            merge_new(change, found_key, &out);
        }
        old += old_key <= found_key;
        found += found_key <= old_key;
    }
    for (; old < section->old_end; ++old)
    {
        merge_missing(change, pairs[old], &out);
    }
    for (; found < section->found_end; ++found)
    {
        merge_new(change, change->found[found], &out);
    }
    section->kept = (size_t)(out.kept - first);
    section->ended = (size_t)(last - out.ended);
    section->begun = (size_t)(out.begun - begun);
}

static void merge_sections(rblRange range, void* context)
{
    Merge* merge = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        merge_section(merge, &merge->sections[i]);
    }
}

// ---- division into sections ----

// The number of old pairs before a key.
static size_t old_before(const rblPairSet* set, uint64_t key, uint32_t shift)
{
    size_t low = 0;
    size_t high = set->count;
    while (low < high)
    {
        const size_t middle = low + (high - low) / 2;
        if (pack(set->pairs[middle], shift) < key)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

static size_t found_before(const rblPairChange* change, uint64_t key)
{
    size_t low = 0;
    size_t high = change->count;
    while (low < high)
    {
        const size_t middle = low + (high - low) / 2;
        if (change->found[middle] < key)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

// Divide both arrays at the same keys: at equal distances in the longer array.
static uint32_t divide(Merge* merge)
{
    const rblPairSet* set = merge->set;
    const rblPairChange* change = merge->change;
    const size_t longer = set->count > change->count ? set->count : change->count;
    const uint32_t blocks = rbl_block_count(longer < UINT32_MAX ? (uint32_t)longer : UINT32_MAX, MIN_RANGE);
    for (uint32_t i = 0; i < blocks; ++i)
    {
        Section* section = &merge->sections[i];
        *section = (Section){.old_end = set->count, .found_end = change->count};
        if (i > 0)
        {
            const size_t index = longer / blocks * i;
            const uint64_t key =
                longer == set->count ? pack(set->pairs[index], change->shift) : change->found[index];
            section->old_begin = old_before(set, key, change->shift);
            section->found_begin = found_before(change, key);
            merge->sections[i - 1].old_end = section->old_begin;
            merge->sections[i - 1].found_end = section->found_begin;
        }
    }
    return blocks;
}

// ---- joining the sections ----

static void copy_changes(const Merge* merge, const Section* section, rblProxyPairArray* begun,
                         rblProxyPairArray* ended)
{
    const rblProxyPair* end = merge->set->next + section->old_end + section->found_end;
    for (size_t i = 1; i <= section->ended; ++i)
    {
        ended->data[ended->count++] = *(end - i);
    }
    for (size_t i = 0; i < section->begun; ++i)
    {
        begun->data[begun->count++] =
            unpack(merge->change->found[section->found_begin + i], merge->change->shift);
    }
}

// Grows in proportion, so that a slowly rising count does not allocate in every step. The content is preserved.
static bool reserve_capacity(rblProxyPairArray* array, size_t count)
{
    return count <= array->count || rbl_array_reserve_more(array, count - array->count);
}

static bool join(rblPairSet* set, const Merge* merge, uint32_t blocks, rblProxyPairArray* begun,
                 rblProxyPairArray* ended)
{
    size_t begun_count = 0;
    size_t ended_count = 0;
    for (uint32_t i = 0; i < blocks; ++i)
    {
        begun_count += merge->sections[i].begun;
        ended_count += merge->sections[i].ended;
    }
    if (!reserve_capacity(begun, begun_count) || !reserve_capacity(ended, ended_count))
    {
        return false;
    }
    rbl_array_clear(begun);
    rbl_array_clear(ended);
    size_t count = 0;
    for (uint32_t i = 0; i < blocks; ++i)
    {
        const Section* section = &merge->sections[i];
        copy_changes(merge, section, begun, ended);
        memmove(set->next + count, set->next + section->old_begin + section->found_begin,
                sizeof *set->next * section->kept);
        count += section->kept;
    }
    rblProxyPair* swap = set->pairs;
    set->pairs = set->next;
    set->next = swap;
    set->count = count;
    return true;
}

bool rbl_pair_set_merge(rblPairSet* set, const rblPairChange* change, rblJobs* jobs, rblProxyPairArray* begun,
                        rblProxyPairArray* ended)
{
    if (!reserve(set, set->count + change->count, change->ample))
    {
        return false;
    }
    Merge merge = {.set = set, .change = change};
    const uint32_t blocks = divide(&merge);
    rbl_parallel_for(jobs, blocks, 1, merge_sections, &merge);
    return join(set, &merge, blocks, begun, ended);
}
