// Siblings: fragments of one break that no other body has moved since. Their contacts do not push them apart.
//
// Not all fragments of a spinning body separate. Each fragment continues alone: its centre moves on a straight line, and it
// rotates about its own axes. At their common crack, two surfaces therefore overlap by (spin t)^2 of their size, from the first
// step on. A contact that corrects this overlap would move both fragments in their first step by an amount that depends on the
// length of the step. So the contacts of siblings do not act against their own motion:
//   in free flight these contacts are dropped, and each fragment moves as if it were alone;
//   when strangers touch the siblings, a contact of siblings resists only the motion that these cause. With u* the relative
//   velocity without impacts and contacts, a lasting contact demands u.n >= min(0, -u'.n - 2 s/h, u*.n) (contact_aim.c). A
//   contact in an impact demands the smaller one of its usual velocity and u*.n (impact_stop.c).
// The work of such a contact, J.(u + u')/2, is never positive, so it adds no energy. A fragment leaves its siblings when a
// stranger has moved it, directly or through other fragments: in a standing wall, all fragments leave in the first step. A
// fragment also leaves after RELEASE_TIME, and when the program changes its motion. Drift correction then removes the overlap,
// also in free flight, where that changes no energy (drift.c).
#include "base/union_find.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define RELEASE_TIME 0.35f // s: a little more than ten frames at 30 Hz

// Working data of the stage.
struct rblSiblingFinder
{
    rblIndexArray groups; // two numbers per slot, see Groups
};

#define ARRAYS(X) X(groups)

RBL_DEFINE_STAGE_MEMORY(struct rblSiblingFinder, rbl_sibling_finder, ARRAYS)

void rbl_siblings_leave(rblBody* body)
{
    body->sibling_group = 0;
    body->sibling_time = 0.0f;
}

// ---- groups ----

// Siblings that are connected by contacts form a group.
typedef struct Groups
{
    uint32_t* parents;      // by slot: union-find parents
    uint32_t* has_stranger; // by root: 1 when a stranger touches the group
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
        groups->has_stranger[slot] = 0;
    }
    return true;
}

// Mark the groups of a pair of strangers. All groups must be complete, because the mark is stored at the root.
static void mark_strangers(Groups* groups, const rblPair* pair)
{
    groups->has_stranger[rbl_union_root(groups->parents, pair->a)] = 1;
    groups->has_stranger[rbl_union_root(groups->parents, pair->b)] = 1;
}

// ---- before the solve ----

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
                mark_strangers(&groups, pair);
            }
            else if (groups.has_stranger[rbl_union_root(groups.parents, pair->a)] == 0)
            {
                rbl_pair_drop_contacts(pair);
            }
        }
    }
    return RBL_OK;
}

// ---- after the solve ----

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
                    mark_strangers(groups, pair);
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
        if (groups.has_stranger[rbl_union_root(groups.parents, slot)] != 0 || body->joint_count > 0 ||
            !body->awake || body->sibling_time > RELEASE_TIME)
        {
            rbl_siblings_leave(body);
        }
        world->has_siblings = world->has_siblings || body->sibling_group != 0;
    }
    return RBL_OK;
}
