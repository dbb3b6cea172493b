// Filters of the embedder: which pairs may collide, and which contacts act.
#include "dynamics/stages.h"

#include "base/error.h"
#include <math.h>
#include <string.h>

void rbl_pair_drop_contacts(rblPair* pair)
{
    pair->first = 0;
    pair->count = 0;
    pair->leading = 0;
    pair->colliding = 0;
    pair->looked = false;
    pair->seen_margin = 0.0f; // they are found again in the next substep, and the filter is asked again
}

static rblPairContacts describe(const rblWorld* world, const rblPair* pair)
{
    rblPairContacts contacts = {
        .a = rbl_body_id(world, pair->a),
        .b = rbl_body_id(world, pair->b),
        .distance = INFINITY,
        .count = pair->count,
        .touching = pair->touching,
    };
    const rblTransform a = rbl_motion_pose(&world->motions.data[pair->a]);
    const rblTransform b = rbl_motion_pose(&world->motions.data[pair->b]);
    for (uint32_t i = 0; i < pair->count; ++i)
    {
        const rblContact* contact = &world->contacts.data[pair->first + i];
        const rblVec3 on_a = rbl_transform_point(a, contact->anchor_a);
        const float distance =
            rbl_dot3(contact->normal, rbl_sub3(rbl_transform_point(b, contact->anchor_b), on_a));
        if (distance < contacts.distance)
        {
            contacts.distance = distance;
            contacts.point = on_a;
            contacts.normal = contact->normal;
        }
    }
    return contacts;
}

rblResult rbl_contacts_filter(rblStep* step)
{
    rblWorld* world = step->world;
    if (world->contact_filter == NULL)
    {
        return RBL_OK;
    }
    if (!rbl_array_renew(&step->filtered, world->pairs.count, 0))
    {
        return rbl_fail_memory();
    }
    if (world->pairs.count > 0)
    {
        memset(step->filtered.data, 0, world->pairs.count);
    }
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        const uint32_t index = step->active_pairs.data[i];
        rblPair* pair = &world->pairs.data[index];
        if (pair->count > 0)
        {
            const rblPairContacts contacts = describe(world, pair);
            if (!world->contact_filter(&contacts, world->contact_filter_context))
            {
                rbl_pair_drop_contacts(pair);
                step->filtered.data[index] = 1;
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_world_set_pair_filter(rblWorldId id, rblPairFilter* filter, void* context)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    world->pair_filter = filter;
    world->pair_filter_context = context;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation != 0)
        {
            rbl_slot_wake(world, slot);
            rbl_broad_phase_touch(world->broad, slot);
        }
    }
    return RBL_OK;
}

rblResult rbl_world_set_contact_filter(rblWorldId id, rblContactFilter* filter, void* context)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    world->contact_filter = filter;
    world->contact_filter_context = context;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation != 0)
        {
            rbl_slot_wake(world, slot);
        }
    }
    return RBL_OK;
}
