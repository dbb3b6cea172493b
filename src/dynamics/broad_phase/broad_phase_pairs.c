#include "dynamics/broad_phase/broad_phase_pairs.h"

#include <string.h>

// ---- tuning ----
// These affect speed only.
#define MIN_RANGE  4096 // pairs per block of a parallel loop
#define MIN_PARKED 256  // pairs: fewer in the array are merged faster than parked
#define PARK_SHARE 16   // pairs in the array per found pair: with more, those at rest are parked

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
    *set = (rblPairSet){.allocator = allocator, .hole = RBL_NO_SIDE};
    rbl_array_init(&set->parked, allocator);
    rbl_array_init(&set->heads, allocator);
    rbl_array_init(&set->leaving, allocator);
}

static void free_arrays(rblPairSet* set)
{
    RBL_FREE_ARRAY(set->allocator, set->pairs, set->capacity);
    RBL_FREE_ARRAY(set->allocator, set->next, set->capacity);
}

void rbl_pair_set_free(rblPairSet* set)
{
    free_arrays(set);
    rbl_array_free(&set->parked);
    rbl_array_free(&set->heads);
    rbl_array_free(&set->leaving);
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
    free_arrays(set);
    set->pairs = pairs;
    set->next = next;
    set->capacity = capacity;
    return true;
}

static void clear_lists(rblPairSet* set)
{
    rbl_array_clear(&set->parked);
    rbl_array_clear(&set->heads);
    set->hole = RBL_NO_SIDE;
    set->parked_count = 0;
}

bool rbl_pair_set_assign(rblPairSet* set, const rblProxyPair* pairs, size_t count)
{
    if (!reserve(set, count, 0))
    {
        return false;
    }
    clear_lists(set);
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

// ---- parked pairs ----

static void link_side(rblPairSet* set, uint32_t side, uint32_t proxy)
{
    rblParkedPair* node = &set->parked.data[side / 2];
    const uint32_t head = set->heads.data[proxy];
    node->next[side & 1] = head;
    node->last[side & 1] = RBL_NO_SIDE;
    if (head != RBL_NO_SIDE)
    {
        set->parked.data[head / 2].last[head & 1] = side;
    }
    set->heads.data[proxy] = side;
}

static void unlink_side(rblPairSet* set, uint32_t side, uint32_t proxy)
{
    const uint32_t next = set->parked.data[side / 2].next[side & 1];
    const uint32_t last = set->parked.data[side / 2].last[side & 1];
    if (next != RBL_NO_SIDE)
    {
        set->parked.data[next / 2].last[next & 1] = last;
    }
    if (last != RBL_NO_SIDE)
    {
        set->parked.data[last / 2].next[last & 1] = next;
    }
    else
    {
        set->heads.data[proxy] = next;
    }
}

// The memory is reserved.
static void park(rblPairSet* set, rblProxyPair pair)
{
    uint32_t index = set->hole;
    if (index != RBL_NO_SIDE)
    {
        set->hole = set->parked.data[index].next[0];
    }
    else
    {
        index = (uint32_t)set->parked.count++;
    }
    set->parked.data[index].pair = pair;
    link_side(set, 2 * index, pair.a);
    link_side(set, 2 * index + 1, pair.b);
    set->parked_count += 1;
}

static bool reserve_parked(rblPairSet* set, uint32_t proxies, size_t more)
{
    const size_t before = set->heads.count;
    if (set->parked.count + more > UINT32_MAX / 2 || !rbl_array_reserve_more(&set->parked, more) ||
        (before < proxies && !rbl_array_resize_amply(&set->heads, proxies)))
    {
        return false;
    }
    for (size_t i = before; i < set->heads.count; ++i)
    {
        set->heads.data[i] = RBL_NO_SIDE;
    }
    return true;
}

// Park the pairs that were not searched, when they are most of the array. When memory runs out they stay.
static void park_resting(rblPairSet* set, const rblPairChange* change)
{
    if (set->count < MIN_PARKED || PARK_SHARE * change->count > set->count ||
        !reserve_parked(set, change->proxies, set->count))
    {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < set->count; ++i)
    {
        const rblProxyPair pair = set->pairs[i];
        if (((change->flags[pair.a] | change->flags[pair.b]) & RBL_PROXY_PENDING) != 0)
        {
            set->pairs[kept++] = pair;
        }
        else
        {
            park(set, pair);
        }
    }
    set->count = kept;
}

// Move the pairs of a proxy from the lists to `leaving`. The memory is reserved.
static void unpark_proxy(rblPairSet* set, uint32_t proxy)
{
    while (set->heads.data[proxy] != RBL_NO_SIDE)
    {
        const uint32_t index = set->heads.data[proxy] / 2;
        const rblProxyPair pair = set->parked.data[index].pair;
        unlink_side(set, 2 * index, pair.a);
        unlink_side(set, 2 * index + 1, pair.b);
        set->parked.data[index].next[0] = set->hole;
        set->hole = index;
        set->parked_count -= 1;
        set->leaving.data[set->leaving.count++] = pack(pair, 32);
    }
}

// Sort by halves: keys are few, or nearly sorted.
static void sort_keys(uint64_t* keys, uint64_t* buffer, size_t count)
{
    for (size_t width = 1; width < count; width *= 2)
    {
        for (size_t from = 0; from + width < count; from += 2 * width)
        {
            const size_t middle = from + width;
            const size_t end = middle + width < count ? middle + width : count;
            if (keys[middle - 1] <= keys[middle])
            {
                continue;
            }
            memcpy(buffer, keys + from, sizeof *keys * width);
            size_t left = 0;
            size_t right = middle;
            for (size_t out = from; left < width; ++out)
            {
                keys[out] = right < end && keys[right] < buffer[left] ? keys[right++] : buffer[left++];
            }
        }
    }
}

// Merge the leaving pairs into the array, from its end.
static void merge_leaving(rblPairSet* set)
{
    const size_t more = set->leaving.count;
    size_t old = set->count;
    size_t left = more;
    set->count += more;
    for (size_t out = set->count; left > 0; --out)
    {
        const uint64_t key = set->leaving.data[left - 1];
        const bool keeps = old > 0 && pack(set->pairs[old - 1], 32) > key;
        set->pairs[out - 1] = keeps ? set->pairs[old - 1] : unpack(key, 32);
        old -= keeps;
        left -= !keeps;
    }
    set->leaving.count = 0;
}

// Put the pairs of proxies that search or were removed back into the array; null `change`: all pairs.
static bool unpark(rblPairSet* set, const rblPairChange* change)
{
    if (set->parked_count == 0)
    {
        return true;
    }
    if (!rbl_array_reserve_more(&set->leaving,
                                2 * set->parked_count)) // the second half is the buffer of the sort
    {
        return false;
    }
    const size_t proxies = change != NULL ? change->pending_count : set->heads.count;
    for (uint32_t i = 0; i < proxies; ++i)
    {
        const uint32_t proxy = change != NULL ? change->pending[i] : i;
        if (proxy < set->heads.count)
        {
            unpark_proxy(set, proxy);
        }
    }
    sort_keys(set->leaving.data, set->leaving.data + set->leaving.count, set->leaving.count);
    if (!reserve(set, set->count + set->leaving.count, 0))
    {
        // They go back to the lists, whose memory they just left.
        for (size_t i = 0; i < set->leaving.count; ++i)
        {
            park(set, unpack(set->leaving.data[i], 32));
        }
        set->leaving.count = 0;
        return false;
    }
    merge_leaving(set);
    return true;
}

bool rbl_pair_set_unpark(rblPairSet* set)
{
    return unpark(set, NULL);
}

// Whether the list of a proxy is intact. Adds its length.
static bool is_list_valid(const rblPairSet* set, uint32_t proxy, size_t* length)
{
    uint32_t last = RBL_NO_SIDE;
    for (uint32_t side = set->heads.data[proxy]; side != RBL_NO_SIDE;)
    {
        const rblParkedPair* node = side / 2 < set->parked.count ? &set->parked.data[side / 2] : NULL;
        if (node == NULL || node->last[side & 1] != last || ++*length > 2 * set->parked_count ||
            ((side & 1) != 0 ? node->pair.b : node->pair.a) != proxy)
        {
            return false;
        }
        last = side;
        side = node->next[side & 1];
    }
    return true;
}

bool rbl_pair_set_is_valid(const rblPairSet* set)
{
    size_t length = 0;
    for (size_t i = 1; i < set->count; ++i)
    {
        if (pack(set->pairs[i - 1], 32) >= pack(set->pairs[i], 32))
        {
            return false;
        }
    }
    for (uint32_t proxy = 0; proxy < set->heads.count; ++proxy)
    {
        if (!is_list_valid(set, proxy, &length))
        {
            return false;
        }
    }
    return length == 2 * set->parked_count;
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
    if (!unpark(set, change) || !reserve(set, set->count + change->count, change->ample))
    {
        return false;
    }
    Merge merge = {.set = set, .change = change};
    const uint32_t blocks = divide(&merge);
    rbl_parallel_for(jobs, blocks, 1, merge_sections, &merge);
    if (!join(set, &merge, blocks, begun, ended))
    {
        return false;
    }
    park_resting(set, change);
    return true;
}
