// Finds the contacts of all pairs with an awake body, in parallel blocks whose results are then joined.
#include "dynamics/narrow_phase.h"
#include "dynamics/stage_memory.h"
#include "math/simd.h"
#include <stdatomic.h>
#include <string.h>

// ---- tuning ----
// These affect speed only.
#define MIN_PAIRS     32 // smallest number of pairs for one worker
#define FETCH_BODY    8  // number of pairs that bodies are prefetched ahead
#define FETCH_SHAPE   3  // number of pairs that shapes are prefetched ahead
#define FETCHED_LINES 12 // cache lines of a shape: most of a hull of 16 vertices

// Working data of the stage.
struct rblContactFinder
{
    rblContactArray old_contacts; // contacts of the last step
    size_t
        resting_contacts; // number of contacts of pairs without an awake body: they come first and do not change
    rblContactArray block_contacts[RBL_MAX_BLOCKS]; // contacts that each block of the narrow phase found
    rblContactSet worker_contacts[RBL_MAX_WORKERS];
    atomic_bool out_of_memory; // set by a block of a parallel loop
};

struct rblContactFinder* rbl_contact_finder_create(const rblAllocator* allocator)
{
    struct rblContactFinder* stage = rbl_alloc_zero(allocator, sizeof *stage);
    if (stage == NULL)
    {
        return NULL;
    }
    rbl_array_init(&stage->old_contacts, allocator);
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_init(&stage->block_contacts[b], allocator);
    }
    for (uint32_t w = 0; w < RBL_MAX_WORKERS; ++w)
    {
        stage->worker_contacts[w].allocator = allocator;
    }
    return stage;
}

void rbl_contact_finder_destroy(struct rblContactFinder* stage, const rblAllocator* allocator)
{
    if (stage == NULL)
    {
        return;
    }
    rbl_array_free(&stage->old_contacts);
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_free(&stage->block_contacts[b]);
    }
    for (uint32_t w = 0; w < RBL_MAX_WORKERS; ++w)
    {
        rbl_contact_set_free(&stage->worker_contacts[w]);
    }
    rbl_free(allocator, stage, sizeof *stage);
}

#define CACHE_LINE 64 // bytes

// Move the contacts of pairs without an awake body to the front. They stay there as long as the set of these pairs does not
// change.
static bool keep_resting_contacts(rblStep* step)
{
    rblWorld* world = step->world;
    size_t active = 0; // number of contacts of active pairs
    size_t all = 0;
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        active += world->pairs.data[step->active_pairs.data[i]].count;
    }
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        all += world->pairs.data[i].count;
    }
    if (!rbl_array_resize_amply(&step->contact_finder->old_contacts, all - active))
    {
        return false;
    }
    const rblContactArray swap = world->contacts;
    world->contacts = step->contact_finder->old_contacts;
    step->contact_finder->old_contacts = swap;
    world->contacts.count = 0;
    size_t next = 0;
    for (uint32_t i = 0; i < world->pairs.count; ++i)
    {
        rblPair* pair = &world->pairs.data[i];
        if (next < step->active_pairs.count && step->active_pairs.data[next] == i)
        {
            ++next;
            continue;
        }
        for (uint32_t k = 0; k < pair->count; ++k)
        {
            world->contacts.data[world->contacts.count + k] =
                step->contact_finder->old_contacts.data[pair->first + k];
        }
        pair->first = (uint32_t)world->contacts.count;
        pair->looked = false;
        world->contacts.count += pair->count;
    }
    return true;
}

// Set the location of the contacts of the last step. Those of active pairs are read there until all new ones are found.
static bool locate_last_contacts(rblStep* step)
{
    rblWorld* world = step->world;
    if (!world->regrouped)
    {
        step->last_contacts = world->contacts.data;
        return true;
    }
    if (!keep_resting_contacts(step))
    {
        return false;
    }
    step->contact_finder->resting_contacts = world->contacts.count;
    step->last_contacts = step->contact_finder->old_contacts.data;
    return true;
}

// Reserve memory for all contacts. Those of resting pairs are preserved.
static bool reserve_contacts(rblStep* step, size_t total)
{
    rblWorld* world = step->world;
    return step->contact_finder->resting_contacts > 0
               ? rbl_array_resize_amply(&world->contacts, total)
               : rbl_array_renew(&world->contacts, total, rbl_pile_capacity(step, RBL_PILE_CONTACTS));
}

static const rblPair* pair_ahead(const rblStep* step, rblRange range, uint32_t i)
{
    const rblWorld* world = step->world;
    return &world->pairs.data[step->active_pairs.data[i < range.end ? i : range.end - 1]];
}

// Whether the contacts of a body are probably searched. Bodies that hardly move keep their contacts.
static bool is_moving(const rblBodyPath* path)
{
    const float little = 0.01f * path->radius;
    return rbl_dot3(path->translation, path->translation) > little * little;
}

static void prefetch(const void* from, size_t bytes)
{
    for (uintptr_t p = (uintptr_t)from; p < (uintptr_t)from + bytes; p += CACHE_LINE)
    {
        rbl_prefetch((const void*)p);
    }
}

// The bodies of a pair and their shapes are anywhere in memory, so those of the next pairs are prefetched.
static void find_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    rblContactArray* out = &step->contact_finder->block_contacts[range.block];
    rblContactSet* set = &step->contact_finder->worker_contacts[range.worker];
    rbl_array_clear(out);
    bool ok = true;
    for (uint32_t i = range.begin; i < range.end && ok; ++i)
    {
        const uint32_t later = pair_ahead(step, range, i + FETCH_BODY)->b;
        const uint32_t soon = pair_ahead(step, range, i + FETCH_SHAPE)->b;
        rbl_prefetch(&step->paths.data[later]);
        rbl_prefetch(&world->bodies.data[later].shape);
        rbl_prefetch(&world->bodies.data[later].awake);
        rbl_prefetch(&step->sweeps.data[later]);
        rbl_prefetch(&world->motions.data[later]);
        if (is_moving(&step->paths.data[soon]))
        {
            prefetch(world->bodies.data[soon].shape.shape, RBL_SHAPE_HEAD_BYTES);
            prefetch(world->bodies.data[soon].shape_memory, FETCHED_LINES * CACHE_LINE);
            prefetch(&step->prepared_sweeps.data[soon], sizeof *step->prepared_sweeps.data);
        }
        ok = rbl_pair_find_contacts(step, &world->pairs.data[step->active_pairs.data[i]], set, out);
    }
    if (!ok)
    {
        atomic_store(&step->contact_finder->out_of_memory, true);
    }
}

static void join_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    size_t offset = step->contact_finder->resting_contacts;
    for (uint32_t b = 0; b < range.block; ++b)
    {
        offset += step->contact_finder->block_contacts[b].count;
    }
    const rblContactArray* from = &step->contact_finder->block_contacts[range.block];
    if (from->count > 0)
    {
        memcpy(world->contacts.data + offset, from->data, sizeof(rblContact) * from->count);
    }
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblPair* pair = &world->pairs.data[step->active_pairs.data[i]];
        if (pair->count > 0)
        {
            pair->first += (uint32_t)offset;
        }
    }
}

// Remove the contacts of all pairs, because the indices of their contacts are no longer valid.
static void clear_contacts(rblWorld* world)
{
    rbl_array_clear(&world->contacts);
    world->regrouped = true;
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        world->pairs.data[i].first = 0;
        world->pairs.data[i].count = 0;
        world->pairs.data[i].leading = 0;
        world->pairs.data[i].seen_margin = 0.0f;
    }
}

rblResult rbl_contacts_find(rblStep* step)
{
    rblWorld* world = step->world;
    RBL_TRY(rbl_paths_predict(step));
    if (!locate_last_contacts(step))
    {
        return rbl_fail_memory();
    }
    const uint32_t count = (uint32_t)step->active_pairs.count;
    atomic_store(&step->contact_finder->out_of_memory, false);
    rbl_parallel_for(world->jobs, count, MIN_PAIRS, find_block, step);
    size_t total = step->contact_finder->resting_contacts;
    const uint32_t blocks = rbl_block_count(count, MIN_PAIRS);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        total += step->contact_finder->block_contacts[b].count;
    }
    if (atomic_load(&step->contact_finder->out_of_memory) || total > UINT32_MAX ||
        !reserve_contacts(step, total))
    {
        clear_contacts(world);
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, count, MIN_PAIRS, join_block, step);
    world->regrouped = false;
    return RBL_OK;
}
