#include "dynamics/pair_list.h"
#include "base/sort.h"

static void link_side(rblWorld* world, uint32_t side, uint32_t slot)
{
    const uint32_t head = world->first_sides.data[slot];
    world->pair_sides.data[side] = (rblPairSide){.next = head, .last = RBL_NONE};
    if (head != RBL_NONE)
    {
        world->pair_sides.data[head].last = side;
    }
    world->first_sides.data[slot] = side;
}

static void unlink_side(rblWorld* world, uint32_t side, uint32_t slot)
{
    const rblPairSide at = world->pair_sides.data[side];
    if (at.next != RBL_NONE)
    {
        world->pair_sides.data[at.next].last = at.last;
    }
    if (at.last != RBL_NONE)
    {
        world->pair_sides.data[at.last].next = at.next;
    }
    else
    {
        world->first_sides.data[slot] = at.next;
    }
}

bool rbl_pairs_reserve(rblWorld* world, size_t more, size_t ample)
{
    const size_t holes = world->free_pairs.count;
    const size_t beyond = more > holes ? more - holes : 0;
    const size_t wanted = world->pairs.count + beyond;
    const size_t grown = wanted > world->pairs.capacity && wanted < ample ? ample : wanted;
    const size_t extra = grown - world->pairs.count;
    const size_t before = world->first_sides.count;
    // All pairs may end before the next call: a hole for each.
    if (wanted > UINT32_MAX / 2 - 1 || !rbl_array_reserve_more(&world->pairs, extra) ||
        !rbl_array_reserve_more(&world->pair_sides, 2 * extra) ||
        !rbl_array_reserve_more(&world->pair_states, extra) ||
        (world->free_pairs.capacity < wanted &&
         !rbl_array_reserve_more(&world->free_pairs, grown - world->free_pairs.count)) ||
        (before < world->bodies.count && !rbl_array_resize_amply(&world->first_sides, world->bodies.count)))
    {
        return false;
    }
    for (size_t slot = before; slot < world->first_sides.count; ++slot)
    {
        world->first_sides.data[slot] = RBL_NONE;
    }
    return true;
}

uint32_t rbl_pair_add(rblWorld* world, const rblPair* pair)
{
    uint32_t index;
    if (world->free_pairs.count > 0)
    {
        index = world->free_pairs.data[--world->free_pairs.count];
    }
    else
    {
        index = (uint32_t)world->pairs.count++;
        world->pair_sides.count += 2;
        world->pair_states.count += 1;
    }
    world->pairs.data[index] = *pair;
    world->pair_states.data[index] = 0;
    link_side(world, 2 * index, pair->a);
    link_side(world, 2 * index + 1, pair->b);
    return index;
}

void rbl_pair_remove(rblWorld* world, uint32_t index)
{
    const rblPair* pair = &world->pairs.data[index];
    unlink_side(world, 2 * index, pair->a);
    unlink_side(world, 2 * index + 1, pair->b);
    world->pairs.data[index] = (rblPair){.a = RBL_NONE, .b = RBL_NONE};
    world->pair_states.data[index] = 0;
    world->free_pairs.data[world->free_pairs.count++] = index;
}

uint32_t rbl_pair_find(const rblWorld* world, uint32_t a, uint32_t b)
{
    uint32_t of_a = rbl_first_side(world, a);
    uint32_t of_b = rbl_first_side(world, b);
    while (of_a != RBL_NONE && of_b != RBL_NONE)
    {
        if (world->pairs.data[of_a / 2].a == a && world->pairs.data[of_a / 2].b == b)
        {
            return of_a / 2;
        }
        if (world->pairs.data[of_b / 2].a == a && world->pairs.data[of_b / 2].b == b)
        {
            return of_b / 2;
        }
        of_a = rbl_next_side(world, of_a);
        of_b = rbl_next_side(world, of_b);
    }
    return RBL_NONE;
}

void rbl_pairs_link_all(rblWorld* world)
{
    world->first_sides.count = world->bodies.count;
    world->pair_sides.count = 2 * world->pairs.count;
    world->pair_states.count = world->pairs.count;
    world->free_pairs.count = 0;
    for (size_t slot = 0; slot < world->first_sides.count; ++slot)
    {
        world->first_sides.data[slot] = RBL_NONE;
    }
    for (uint32_t i = 0; i < world->pairs.count; ++i)
    {
        world->pair_states.data[i] = 0;
        link_side(world, 2 * i, world->pairs.data[i].a);
        link_side(world, 2 * i + 1, world->pairs.data[i].b);
    }
}

// ---- order ----

static bool is_before(uint32_t i, uint32_t j, const void* context)
{
    const rblWorld* world = context;
    const rblPair* p = &world->pairs.data[i];
    const rblPair* q = &world->pairs.data[j];
    return p->a < q->a || (p->a == q->a && p->b < q->b);
}

bool rbl_pairs_sort(const rblWorld* world, rblIndexArray* pairs, rblIndexArray* scratch)
{
    bool sorted = true;
    for (size_t i = 1; i < pairs->count && sorted; ++i)
    {
        sorted = is_before(pairs->data[i - 1], pairs->data[i], world);
    }
    if (sorted)
    {
        return true;
    }
    if (!rbl_array_renew(scratch, pairs->count, 0))
    {
        return false;
    }
    rbl_sort_indices(pairs->data, scratch->data, pairs->count, is_before, world);
    return true;
}

bool rbl_pairs_of_body(const rblWorld* world, uint32_t slot, bool as_a, rblIndexArray* out,
                       rblIndexArray* scratch)
{
    rbl_array_clear(out);
    for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE; side = rbl_next_side(world, side))
    {
        if ((!as_a || side % 2 == 0) && !rbl_array_push(out, side / 2))
        {
            return false;
        }
    }
    return rbl_pairs_sort(world, out, scratch);
}

// ---- checks ----

// Whether the list of a body is intact and has each other body once. Adds its length.
static bool is_list_valid(const rblWorld* world, uint32_t slot, size_t* length)
{
    uint32_t last = RBL_NONE;
    for (uint32_t side = world->first_sides.data[slot]; side != RBL_NONE;
         last = side, side = rbl_next_side(world, side))
    {
        if (side / 2 >= world->pairs.count || world->pair_sides.data[side].last != last ||
            ++*length > 2 * world->pairs.count)
        {
            return false;
        }
        const rblPair* pair = &world->pairs.data[side / 2];
        if (!rbl_pair_exists(pair) || (side % 2 == 0 ? pair->a : pair->b) != slot)
        {
            return false;
        }
    }
    return true;
}

uint32_t rbl_pairs_find_fault(const rblWorld* world)
{
    size_t length = 0;
    for (size_t i = 0; i < world->free_pairs.count; ++i)
    {
        const uint32_t hole = world->free_pairs.data[i];
        if (hole >= world->pairs.count || rbl_pair_exists(&world->pairs.data[hole]))
        {
            return hole;
        }
    }
    for (uint32_t slot = 0; slot < world->first_sides.count; ++slot)
    {
        if (!is_list_valid(world, slot, &length))
        {
            return slot;
        }
    }
    return length == 2 * rbl_pair_count(world) ? RBL_NONE : (uint32_t)length;
}
