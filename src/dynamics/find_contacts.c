// Finds the contacts of all pairs with an awake body, in parallel blocks whose results are then joined.
#include "dynamics/narrow_phase.h"
#include "dynamics/pair_list.h"
#include "dynamics/stage_memory.h"
#include "math/simd.h"
#include <stdatomic.h>
#include <string.h>

// ---- tuning ----
// These affect speed only.
#define MIN_PAIRS     32   // smallest number of pairs for one worker
#define FETCH_BODY    8    // number of pairs that bodies are prefetched ahead
#define FETCH_SHAPE   3    // number of pairs that shapes are prefetched ahead
#define MIN_WASTE     1024 // contacts: gaps of fewer parked ones are left
#define FETCHED_LINES 12   // cache lines of a shape: most of a hull of 16 vertices

// Working data of the stage.
struct rblContactFinder
{
    rblContactArray moved; // contacts of pairs that came to rest
    size_t parked;         // the contacts of this step's pairs come after this number of parked ones
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
    rbl_array_init(&stage->moved, allocator);
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
    rbl_array_free(&stage->moved);
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

// ---- parked contacts ----
// The contacts of pairs at rest come first and stay where they are. Those of pairs that come to rest are added behind them; where a
// pair has left, a gap remains until the gaps are more than half.

static bool move_contacts(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    rblContactArray* moved = &step->contact_finder->moved;
    rblPair* pair = &world->pairs.data[index];
    if (!rbl_array_reserve_more(moved, pair->count))
    {
        return false;
    }
    for (uint32_t k = 0; k < pair->count; ++k)
    {
        moved->data[moved->count + k] = world->contacts.data[pair->first + k];
    }
    pair->first = (uint32_t)(step->contact_finder->parked + moved->count);
    moved->count += pair->count;
    return true;
}

// Copy the contacts of pairs that came to rest to `moved`; with many gaps, those of all pairs at rest.
static bool park_contacts(rblStep* step)
{
    rblWorld* world = step->world;
    const bool all = world->wasted_contacts > world->parked_contacts / 2 + MIN_WASTE;
    step->contact_finder->parked = all ? 0 : world->parked_contacts;
    rbl_array_clear(&step->contact_finder->moved);
    bool ok = true;
    for (size_t i = 0; i < step->parking.count && ok; ++i)
    {
        const uint32_t index = step->parking.data[i];
        if (rbl_pair_exists(&world->pairs.data[index]) && world->pair_states.data[index] == 0)
        {
            world->pair_states.data[index] = RBL_PAIR_PARKED;
            world->pairs.data[index].looked = false;
            ok = all || move_contacts(step, index);
        }
    }
    for (uint32_t i = 0; i < world->pairs.count && all && ok; ++i)
    {
        ok = world->pair_states.data[i] != RBL_PAIR_PARKED || move_contacts(step, i);
    }
    rbl_array_clear(&step->parking);
    world->wasted_contacts = all ? 0 : world->wasted_contacts;
    return ok;
}

// Pairs with an awake body leave gaps. Their contacts are read there until all new ones are found.
static void unpark_contacts(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->unparking.count; ++i)
    {
        const uint32_t index = step->unparking.data[i];
        unsigned char* state = &world->pair_states.data[index];
        if (*state == (RBL_PAIR_ACTIVE | RBL_PAIR_PARKED))
        {
            *state = RBL_PAIR_ACTIVE;
            world->wasted_contacts += world->pairs.data[index].count;
        }
    }
    rbl_array_clear(&step->unparking);
}

// Reserve memory for all contacts. Those that stay parked are preserved.
static bool reserve_contacts(rblStep* step, size_t total)
{
    rblWorld* world = step->world;
    return step->contact_finder->parked > 0
               ? rbl_array_resize_amply(&world->contacts, total)
               : rbl_array_renew(&world->contacts, total, rbl_pile_capacity(step, RBL_PILE_CONTACTS));
}

static uint32_t index_ahead(rblRange range, uint32_t i)
{
    return i < range.end ? i : range.end - 1;
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
        const uint32_t next = index_ahead(range, i + FETCH_BODY);
        const uint32_t later = step->active_keys.data[next].b;
        const uint32_t soon = step->active_keys.data[index_ahead(range, i + FETCH_SHAPE)].b;
        prefetch(&world->pairs.data[step->active_pairs.data[next]], sizeof(rblPair));
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
    size_t offset = step->contact_finder->parked;
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
        rbl_prefetch(&world->pairs.data[step->active_pairs.data[index_ahead(range, i + FETCH_BODY)]].count);
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
    world->parked_contacts = world->wasted_contacts = 0;
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        world->pairs.data[i].first = 0;
        world->pairs.data[i].count = 0;
        world->pairs.data[i].leading = 0;
        world->pairs.data[i].seen_margin = 0.0f;
    }
}

// Put the contacts of the pairs that came to rest behind those that are parked, and the new ones behind them.
static bool join_contacts(rblStep* step, uint32_t count)
{
    rblWorld* world = step->world;
    struct rblContactFinder* stage = step->contact_finder;
    if (!park_contacts(step))
    {
        return false;
    }
    size_t total = stage->parked + stage->moved.count;
    const uint32_t blocks = rbl_block_count(count, MIN_PAIRS);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        total += stage->block_contacts[b].count;
    }
    if (total > UINT32_MAX || !reserve_contacts(step, total))
    {
        return false;
    }
    if (stage->moved.count > 0)
    {
        memcpy(world->contacts.data + stage->parked, stage->moved.data,
               sizeof(rblContact) * stage->moved.count);
    }
    stage->parked += stage->moved.count;
    world->parked_contacts = stage->parked;
    rbl_parallel_for(world->jobs, count, MIN_PAIRS, join_block, step);
    return true;
}

rblResult rbl_contacts_find(rblStep* step)
{
    rblWorld* world = step->world;
    RBL_TRY(rbl_paths_predict(step));
    unpark_contacts(step);
    step->last_contacts = world->contacts.data;
    const uint32_t count = (uint32_t)step->active_pairs.count;
    atomic_store(&step->contact_finder->out_of_memory, false);
    rbl_parallel_for(world->jobs, count, MIN_PAIRS, find_block, step);
    if (atomic_load(&step->contact_finder->out_of_memory) || !join_contacts(step, count))
    {
        clear_contacts(world);
        return rbl_fail_memory();
    }
    return RBL_OK;
}
