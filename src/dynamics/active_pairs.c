// The list of the pairs with an awake body, kept from step to step. Pairs join it when they begin or a body wakes, and leave it when
// they end or both bodies are at rest. All other pairs are parked: no step visits them.
#include "dynamics/active_pairs.h"
#include "dynamics/pair_list.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"

// ---- tuning ----
// These affect speed only.
#define DISORDER     0.25 // share of the pairs that joined since then: with more, the array is ordered again
#define MIN_DISORDER 1024 // pairs: fewer stay out of order

// Working data of the stage.
struct rblActivePairs
{
    rblIndexArray begun;         // pairs that began since the list was made, sorted
    rblIndexArray joining;       // pairs that join it
    rblIndexArray scratch;       // of the sort
    rblIndexArray next;          // the next list
    rblProxyPairArray next_keys; // and its keys
    rblPairArray ordered;        // buffer of the pairs, and the new index of each
    rblIndexArray moved_to;      //
    size_t disorder;             // pairs that joined since the array was in the order of the list
};

#define ARRAYS(X) X(begun) X(joining) X(scratch) X(next) X(next_keys) X(ordered) X(moved_to)

RBL_DEFINE_STAGE_MEMORY(struct rblActivePairs, rbl_active_pairs, ARRAYS)

// ---- pairs that begin and end ----

bool rbl_active_pairs_reserve(rblStep* step, size_t begun)
{
    rblWorld* world = step->world;
    return rbl_pairs_reserve(world, begun, rbl_pile_capacity(step, RBL_PILE_PAIRS)) &&
           rbl_array_reserve_more(&step->pairs_active->begun, begun);
}

void rbl_active_pairs_begin(rblStep* step, const rblPair* pair)
{
    rblIndexArray* begun = &step->pairs_active->begun;
    begun->data[begun->count++] = rbl_pair_add(step->world, pair);
    step->relists = true;
}

static bool is_key_before(rblProxyPair p, uint32_t a, uint32_t b)
{
    return p.a < a || (p.a == a && p.b < b);
}

// The position in the list of the first key that is not before (a, b), from a position on. The step doubles first, because pairs
// that end are looked up in order.
static size_t find_key(const rblProxyPairArray* keys, size_t from, uint32_t a, uint32_t b)
{
    size_t begin = from;
    size_t reach = 1;
    while (begin + reach < keys->count && is_key_before(keys->data[begin + reach], a, b))
    {
        begin += reach;
        reach *= 2;
    }
    size_t end = begin + reach < keys->count ? begin + reach : keys->count;
    while (begin < end)
    {
        const size_t middle = begin + (end - begin) / 2;
        if (is_key_before(keys->data[middle], a, b))
        {
            begin = middle + 1;
        }
        else
        {
            end = middle;
        }
    }
    return begin;
}

uint32_t rbl_active_pair_find(const rblStep* step, uint32_t a, uint32_t b)
{
    const rblProxyPairArray* keys = &step->active_keys;
    const size_t at = find_key(keys, 0, a, b);
    const bool found = at < keys->count && keys->data[at].a == a && keys->data[at].b == b;
    return found ? step->active_pairs.data[at] : RBL_NONE;
}

static void count_resting(rblStep* step, const rblPair* pair, bool comes)
{
    const uint32_t sign = comes ? 1u : UINT32_MAX; // modulo 2^32
    step->resting.touching += sign * (pair->touching ? 1u : 0u);
    step->resting.colliding += sign * pair->colliding;
    step->resting.fast += sign * (pair->fast ? 1u : 0u);
}

uint32_t rbl_active_pairs_end(rblStep* step, uint32_t a, uint32_t b, size_t* from)
{
    rblWorld* world = step->world;
    const rblProxyPairArray* keys = &step->active_keys;
    *from = find_key(keys, *from, a, b);
    uint32_t index = RBL_NONE;
    if (*from < keys->count && keys->data[*from].a == a && keys->data[*from].b == b)
    {
        index = step->active_pairs.data[*from];
        step->active_pairs.data[*from] = RBL_NONE;
    }
    index = index != RBL_NONE ? index : rbl_pair_find(world, a, b);
    step->relists = true;
    if (index == RBL_NONE)
    {
        return RBL_NONE;
    }
    const rblPair* pair = &world->pairs.data[index];
    if ((world->pair_states.data[index] & RBL_PAIR_ACTIVE) == 0)
    {
        count_resting(step, pair, false);
    }
    if ((world->pair_states.data[index] & RBL_PAIR_PARKED) != 0)
    {
        world->wasted_contacts += pair->count;
    }
    return index;
}

// ---- the list ----

// Bodies that woke after the movers were gathered are included, because one of their pairs has ended.
static bool is_active(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    return step->activities.data[slot] >= RBL_ACTIVITY_AWAKE ||
           (world->activity_changed && world->bodies.data[slot].awake);
}

// The contacts of bodies created asleep are found once, so that their support is known when they wake.
static bool is_new_sleeper(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    return body->is_new && body->rest.untried;
}

static bool is_listed(const rblStep* step, rblProxyPair pair, bool new_sleepers)
{
    const rblWorld* world = step->world;
    return is_active(step, pair.a) || is_active(step, pair.b) ||
           (new_sleepers && (is_new_sleeper(world, pair.a) || is_new_sleeper(world, pair.b)));
}

static bool join(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    unsigned char* state = &world->pair_states.data[index];
    if ((*state & RBL_PAIR_ACTIVE) != 0)
    {
        return true;
    }
    if (((*state & RBL_PAIR_PARKED) != 0 && !rbl_array_push(&step->unparking, index)) ||
        !rbl_array_push(&step->pairs_active->joining, index))
    {
        return false;
    }
    *state |= RBL_PAIR_ACTIVE;
    count_resting(step, &world->pairs.data[index], false);
    return true;
}

static bool join_pairs_of(rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    bool ok = true;
    for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE && ok;
         side = rbl_next_side(world, side))
    {
        ok = join(step, side / 2);
    }
    return ok;
}

// The pairs that join: those that began, those of bodies that woke, and those of bodies created asleep.
static bool list_joining(rblStep* step, bool new_sleepers)
{
    rblWorld* world = step->world;
    const struct rblActivePairs* list = step->pairs_active;
    bool ok = true;
    for (size_t i = 0; i < list->begun.count && ok; ++i)
    {
        const rblPair* pair = &world->pairs.data[list->begun.data[i]];
        ok = !is_listed(step, (rblProxyPair){pair->a, pair->b}, new_sleepers) ||
             join(step, list->begun.data[i]);
    }
    for (size_t i = 0; i < step->woken.count && ok; ++i)
    {
        ok = join_pairs_of(step, step->woken.data[i]);
    }
    const uint32_t changed = rbl_slot_list_count(&world->changed, world->bodies.count);
    for (uint32_t i = 0; i < changed && ok && world->activity_changed; ++i)
    {
        const uint32_t slot = rbl_slot_list_at(&world->changed, i);
        ok = !world->bodies.data[slot].awake || step->activities.data[slot] >= RBL_ACTIVITY_AWAKE ||
             join_pairs_of(step, slot);
    }
    const uint32_t marked = rbl_slot_list_count(&world->marked, world->bodies.count);
    for (uint32_t i = 0; i < marked && ok && new_sleepers; ++i)
    {
        const uint32_t slot = rbl_slot_list_at(&world->marked, i);
        ok = !is_new_sleeper(world, slot) || join_pairs_of(step, slot);
    }
    return ok;
}

// Make the list from nothing: all pairs were parked, or memory ran out.
static bool list_all(rblStep* step, bool new_sleepers)
{
    rblWorld* world = step->world;
    rbl_array_clear(&step->active_pairs);
    rbl_array_clear(&step->active_keys);
    step->resting = (rblCounters){0};
    bool ok = true;
    for (uint32_t i = 0; i < world->pairs.count && ok; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        world->pair_states.data[i] &= (unsigned char)~RBL_PAIR_ACTIVE;
        if (!rbl_pair_exists(pair))
        {
            continue;
        }
        count_resting(step, pair, true);
        if (is_listed(step, (rblProxyPair){pair->a, pair->b}, new_sleepers))
        {
            ok = join(step, i);
        }
        else if ((world->pair_states.data[i] & RBL_PAIR_PARKED) == 0)
        {
            ok = rbl_array_push(&step->parking, i);
        }
    }
    return ok;
}

static void park(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    world->pair_states.data[index] &= (unsigned char)~RBL_PAIR_ACTIVE;
    count_resting(step, &world->pairs.data[index], true);
    step->parking.data[step->parking.count++] = index;
}

// Merge the joining pairs into the list, and leave out those that have ended or rest.
static bool merge_list(rblStep* step, bool new_sleepers)
{
    rblWorld* world = step->world;
    struct rblActivePairs* list = step->pairs_active;
    const size_t most = step->active_pairs.count + list->joining.count;
    if (!rbl_pairs_sort(world, &list->joining, &list->scratch) ||
        !rbl_array_renew(&list->next, most, world->pairs.capacity) ||
        !rbl_array_renew(&list->next_keys, most, world->pairs.capacity) ||
        !rbl_array_reserve_more(&step->parking, step->active_pairs.count))
    {
        return false;
    }
    size_t count = 0;
    size_t joined = 0;
    for (size_t i = 0; i <= step->active_pairs.count; ++i)
    {
        const bool last = i == step->active_pairs.count;
        const rblProxyPair key = last ? (rblProxyPair){RBL_NONE, RBL_NONE} : step->active_keys.data[i];
        for (; joined < list->joining.count; ++joined)
        {
            const uint32_t index = list->joining.data[joined];
            const rblProxyPair own = {world->pairs.data[index].a, world->pairs.data[index].b};
            if (!last && !is_key_before(own, key.a, key.b))
            {
                break;
            }
            list->next.data[count] = index;
            list->next_keys.data[count++] = own;
        }
        const uint32_t index = last ? RBL_NONE : step->active_pairs.data[i];
        if (index == RBL_NONE)
        {
            continue;
        }
        if (step->parks && !is_listed(step, key, new_sleepers))
        {
            park(step, index);
            continue;
        }
        list->next.data[count] = index;
        list->next_keys.data[count++] = key;
    }
    list->next.count = list->next_keys.count = count;
    const rblIndexArray pairs = step->active_pairs;
    const rblProxyPairArray keys = step->active_keys;
    step->active_pairs = list->next;
    step->active_keys = list->next_keys;
    list->next = pairs;
    list->next_keys = keys;
    return true;
}

// ---- the order in memory ----

// Pairs that have ended are left out.
static void rename_pairs(rblIndexArray* pairs, const uint32_t* moved_to)
{
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; ++i)
    {
        const uint32_t to = moved_to[pairs->data[i]];
        pairs->data[kept] = to;
        kept += to != RBL_NONE;
    }
    pairs->count = kept;
}

static bool is_ordered(const rblIndexArray* pairs)
{
    size_t i = 0;
    while (i < pairs->count && pairs->data[i] == i)
    {
        ++i;
    }
    return i == pairs->count;
}

// Put the active pairs into the order of the list, the others behind them, and no holes between. Loops over the list then read
// memory in order. When memory runs out, the array stays as it is.
static void order_pairs(rblStep* step)
{
    rblWorld* world = step->world;
    struct rblActivePairs* list = step->pairs_active;
    const size_t count = world->pairs.count;
    list->disorder = 0;
    if (is_ordered(&step->active_pairs) || !rbl_array_renew(&list->ordered, count, world->pairs.capacity) ||
        !rbl_array_renew(&list->moved_to, count, world->pairs.capacity) ||
        !rbl_array_renew(&list->scratch, count, 0))
    {
        return;
    }
    uint32_t next = 0;
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        list->moved_to.data[step->active_pairs.data[i]] = next++;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool rests = (world->pair_states.data[i] & RBL_PAIR_ACTIVE) == 0;
        if (rests)
        {
            list->moved_to.data[i] = rbl_pair_exists(&world->pairs.data[i]) ? next++ : RBL_NONE;
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t to = list->moved_to.data[i];
        if (to != RBL_NONE)
        {
            list->ordered.data[to] = world->pairs.data[i];
            list->scratch.data[to] = world->pair_states.data[i];
        }
    }
    const rblPairArray swap = world->pairs;
    world->pairs = list->ordered;
    world->pairs.count = next;
    list->ordered = swap;
    rbl_pairs_link_all(world);
    for (uint32_t i = 0; i < next; ++i)
    {
        world->pair_states.data[i] = (unsigned char)list->scratch.data[i];
    }
    rename_pairs(&step->active_pairs, list->moved_to.data);
    rename_pairs(&step->parking, list->moved_to.data);
    rename_pairs(&step->unparking, list->moved_to.data);
}

rblResult rbl_pairs_list_active(rblStep* step, bool new_sleepers)
{
    rblWorld* world = step->world;
    struct rblActivePairs* list = step->pairs_active;
    const bool sleepers = world->has_marks && step->sleepers > 0;
    if (!step->relists && !world->activity_changed && !sleepers)
    {
        return RBL_OK;
    }
    rbl_array_clear(&list->joining);
    const bool listed = step->relists_all || world->changed.all
                            ? list_all(step, new_sleepers)
                            : list_joining(step, new_sleepers && sleepers);
    if (!listed || !merge_list(step, new_sleepers))
    {
        step->relists = step->relists_all = true;
        return rbl_fail_memory();
    }
    list->disorder += list->joining.count;
    if (new_sleepers && list->disorder > MIN_DISORDER &&
        (double)list->disorder > DISORDER * (double)world->pairs.count)
    {
        order_pairs(step);
    }
    rbl_array_clear(&list->begun);
    rbl_array_clear(&step->woken);
    step->relists_all = false;
    step->parks = new_sleepers && sleepers; // bodies created asleep are listed once
    step->relists = step->parks;
    return RBL_OK;
}

void rbl_active_pairs_forget(rblStep* step)
{
    rbl_array_clear(&step->active_pairs);
    rbl_array_clear(&step->active_keys);
    rbl_array_clear(&step->pairs_active->begun);
    rbl_array_clear(&step->woken);
    rbl_array_clear(&step->parking);
    rbl_array_clear(&step->unparking);
    step->relists = step->relists_all = true;
}
