// Siblings: pieces of one break that nothing else has moved since. They touch, but never repel.
//
// The pieces of a body that spins do not all fly apart. Each goes on by itself: straight on where the body had bent its way, and tumbling
// about its own axes. Where two were one, their surfaces then run into each other by (spin t)^2 of their size, at once and without
// a gap that could warn of it. A contact that undid that would move both, in the very first step, by an amount that depends on the step.
// So what their own motion does to siblings is let be:
//   in free flight their contacts do nothing at all, and every piece moves as if it were alone;
//   where strangers are about, a contact of siblings resists what these do to it, and only that: with u* what the relative velocity
//   would be without impacts and contacts, a lasting one asks for u.n >= min(0, -u'.n - 2 s/h, u*.n) (contact_aim.c), one in an
//   impact for the least of what it would ask for and u*.n (impact_stop.c).
// The work of such a contact, J.(u + u')/2, is never positive: energy cannot come of it. A piece that a stranger has moved, by itself or
// through other pieces, is nobody's mate any more: in a wall that stands, that is every piece from the first step on. So is a piece after RELEASE_TIME, and
// one that was pushed by hand. The overlap that two have by then is undone by drift correction,
// in free flight, too, where that costs nothing (drift.c).
#include "base/union_find.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define RELEASE_TIME 0.35f // s: ten frames at 30 Hz, and a little

// Working data of the stage.
struct rblSiblingFinder
{
    rblIndexArray groups; // twice by slot: Groups
};

#define ARRAYS(X) X(groups)

RBL_DEFINE_STAGE_MEMORY(struct rblSiblingFinder, rbl_sibling_finder, ARRAYS)

void rbl_siblings_leave(rblBody* body)
{
    body->sibling_group = 0;
    body->sibling_time = 0.0f;
}

// ---- who hangs together ----

// Groups of siblings by slot, and per group whether it met a stranger.
typedef struct Groups
{
    uint32_t* parents;
    uint32_t* met;
} Groups;

static bool begin_groups(rblStep* step, Groups* groups)
{
    rblWorld* world = step->world;
    const size_t count = world->bodies.count;
    if (!rbl_array_renew(&step->siblings->groups, 2 * count, 0))
    {
        return false;
    }
    *groups = (Groups){step->siblings->groups.data, step->siblings->groups.data + count};
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        groups->parents[slot] = slot;
        groups->met[slot] = 0;
    }
    return true;
}

// Groups first, then strangers: whether a slot met one is asked of its root.
static void meet(Groups* groups, const rblPair* pair)
{
    groups->met[rbl_union_root(groups->parents, pair->a)] = 1;
    groups->met[rbl_union_root(groups->parents, pair->b)] = 1;
}

// ---- before the solve ----

static void drop_contacts(rblPair* pair)
{
    pair->first = 0;
    pair->count = 0;
    pair->leading = 0;
    pair->colliding = 0;
    pair->looked = false;
}

rblResult rbl_siblings_drop_contacts(rblStep* step)
{
    rblWorld* world = step->world;
    Groups groups;
    if (!world->has_siblings)
    {
        return RBL_OK;
    }
    if (!begin_groups(step, &groups))
    {
        return rbl_fail_memory();
    }
    for (int pass = 0; pass < 3; ++pass)
    {
        for (size_t i = 0; i < step->active_pairs.count; ++i)
        {
            rblPair* pair = &world->pairs.data[step->active_pairs.data[i]];
            if (pair->count == 0 || pair->siblings != (pass != 1))
            {
                continue;
            }
            if (pass == 0)
            {
                rbl_union_join(groups.parents, pair->a, pair->b);
            }
            else if (pass == 1)
            {
                meet(&groups, pair);
            }
            else if (groups.met[rbl_union_root(groups.parents, pair->a)] == 0)
            {
                drop_contacts(pair);
            }
        }
    }
    return RBL_OK;
}

// ---- after it ----

static bool is_pressed(const rblWorld* world, const rblManifold* manifold)
{
    bool pressed = manifold->last_impact != 0;
    for (uint32_t i = 0; i < manifold->count && !pressed; ++i)
    {
        pressed = world->contacts.data[manifold->contact + i].normal_impulse > 0.0f;
    }
    return pressed;
}

static void group_pressed(rblStep* step, Groups* groups)
{
    rblWorld* world = step->world;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (size_t m = 0; m < step->manifolds.count; ++m)
        {
            const rblManifold* manifold = &step->manifolds.data[m];
            const rblPair* pair = &world->pairs.data[manifold->pair];
            if (manifold->siblings == (pass == 0) && is_pressed(world, manifold))
            {
                if (pass == 0)
                {
                    rbl_union_join(groups->parents, pair->a, pair->b);
                }
                else
                {
                    meet(groups, pair);
                }
            }
        }
    }
}

rblResult rbl_siblings_update(rblStep* step)
{
    rblWorld* world = step->world;
    Groups groups;
    if (!world->has_siblings)
    {
        return RBL_OK;
    }
    if (!begin_groups(step, &groups))
    {
        return rbl_fail_memory();
    }
    group_pressed(step, &groups);
    world->has_siblings = false;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        rblBody* body = &world->bodies.data[slot];
        if (body->sibling_group == 0)
        {
            continue;
        }
        body->sibling_time += step->seconds;
        if (groups.met[rbl_union_root(groups.parents, slot)] != 0 || body->joint_count > 0 || !body->awake ||
            body->sibling_time > RELEASE_TIME)
        {
            rbl_siblings_leave(body);
        }
        world->has_siblings = world->has_siblings || body->sibling_group != 0;
    }
    return RBL_OK;
}
