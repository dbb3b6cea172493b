// Contacts of a body after its flight, at its current pose. The anchors of contacts from the start of the step move with the
// bodies, but the point where a corner touches a floor does not stay at the same point of the floor.
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define MAX_RENEWED 64 // contacts: manifolds with more keep those of the start of the step

// Sort by distance, the nearest point first.
static void sort_points(rblContactSet* set)
{
    for (uint32_t i = 1; i < set->count; ++i)
    {
        const rblContactPoint point = set->points[i];
        uint32_t k = i;
        for (; k > 0 && set->points[k - 1].distance > point.distance; --k)
        {
            set->points[k] = set->points[k - 1];
        }
        set->points[k] = point;
    }
}

// The new point with the feature id of an old contact, or RBL_NONE.
static uint32_t find_feature(const rblContactSet* set, uint32_t feature)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        if (set->points[i].feature == feature)
        {
            return i;
        }
    }
    return RBL_NONE;
}

// The nearest point that is not taken yet; when all are taken, the nearest of all.
static uint32_t next_free(const bool taken[MAX_RENEWED], uint32_t count)
{
    for (uint32_t i = 0; i < count && i < MAX_RENEWED; ++i)
    {
        if (!taken[i])
        {
            return i;
        }
    }
    return 0;
}

// The number of contacts does not change. Contacts whose feature id is found again keep their impulses; the others become the
// nearest new points.
static void replace(rblWorld* world, const rblManifold* manifold, rblTransform shape_a, rblContactSet* set)
{
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const rblTransform frame_a = rbl_motion_pose(&world->motions.data[pair->a]);
    const rblTransform frame_b = rbl_motion_pose(&world->motions.data[pair->b]);
    rblContact* contacts = &world->contacts.data[manifold->contact];
    bool taken[MAX_RENEWED] = {false};
    sort_points(set);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const uint32_t same = find_feature(set, contacts[i].feature);
        if (same < MAX_RENEWED)
        {
            taken[same] = true;
        }
    }
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblContact old = contacts[i];
        const uint32_t same = find_feature(set, old.feature);
        const uint32_t chosen = same != RBL_NONE ? same : next_free(taken, set->count);
        contacts[i] = rbl_contact_locate(pair, &set->points[chosen], shape_a, frame_a, frame_b);
        taken[chosen < MAX_RENEWED ? chosen : 0] = true;
        if (same != RBL_NONE)
        {
            const float along = rbl_dot3(old.friction, contacts[i].normal);
            contacts[i].normal_impulse = old.normal_impulse;
            contacts[i].friction = rbl_mul_add3(old.friction, -along, contacts[i].normal);
        }
    }
}

// The largest margin, as in the narrow phase (safe_travel()). Contacts with a gap as large as the thickness of a body would
// replace closer ones.
static float farthest(const rblShapeView* a, const rblShapeView* b)
{
    if (!a->bounded || !b->bounded)
    {
        return a->bounded ? a->inner_radius : b->inner_radius;
    }
    return rbl_minf(a->inner_radius + b->inner_radius, 4.0f * rbl_minf(a->inner_radius, b->inner_radius));
}

// The contact point of a ball does not rotate with it.
void rbl_manifold_reanchor_balls(rblWorld* world, const rblManifold* manifold)
{
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const uint32_t slots[2] = {pair->a, pair->b};
    for (int k = 0; k < 2; ++k)
    {
        const rblBody* body = &world->bodies.data[slots[k]];
        for (uint32_t i = 0; i < manifold->count && body->shape.rolling == RBL_ROLLS_AS_BALL; ++i)
        {
            rblContact* contact = &world->contacts.data[manifold->contact + i];
            const rblVec3 to_other = rbl_scale3(contact->normal, k == 0 ? 1.0f : -1.0f);
            rblVec3* anchor = k == 0 ? &contact->anchor_a : &contact->anchor_b;
            *anchor = rbl_inverse_rotate3(world->motions.data[slots[k]].orientation,
                                          rbl_scale3(to_other, body->shape.radius));
        }
    }
}

bool rbl_pair_renew_contacts(rblStep* step, const rblManifold* manifold, rblContactSet* set)
{
    rblWorld* world = step->world;
    rblPair* pair = &world->pairs.data[manifold->pair];
    const rblBody* a = &world->bodies.data[pair->a];
    const rblBody* b = &world->bodies.data[pair->b];
    if (manifold->count > MAX_RENEWED)
    {
        return true;
    }
    const rblTransform shape_a = rbl_shape_pose(a, &world->motions.data[pair->a]);
    const rblTransform shape_b = rbl_shape_pose(b, &world->motions.data[pair->b]);
    const float speed =
        rbl_maxf(step->impact->speeds.data[manifold->a], step->impact->speeds.data[manifold->b]);
    const float seconds = rbl_maxf(step->solver_bodies.data[manifold->a].seconds,
                                   step->solver_bodies.data[manifold->b].seconds);
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = 4.0f * manifold->slop + rbl_minf(speed * seconds, farthest(&a->shape, &b->shape));
    options.first_count = world->def.first_count;
    if (rbl_shape_collide(&a->shape, &b->shape, rbl_transform_relative(shape_a, shape_b), &options,
                          &pair->cache, set) != RBL_OK)
    {
        return false;
    }
    if (set->count == 0)
    {
        rbl_manifold_reanchor_balls(world, manifold); // no point within the margin
        return true;
    }
    replace(world, manifold, shape_a, set);
    pair->seen_margin = 0.0f; // the next step must not reuse these contacts
    return true;
}
