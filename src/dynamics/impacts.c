// Impacts: bodies in free flight are moved to their first impact, then colliding pairs bounce or stop.
#include "dynamics/impacts.h"
#include "dynamics/contact_math.h"
#include "dynamics/stages.h"

// A corner that was stopped does not stop the body: what is fast still may pass through, since contacts farther off are not
// known. A body that goes on into the other one after its impact gets no more of the step than it takes to get a safe way;
// the next step finds its next impact. What it loses is time, no energy.
static bool hold_back(rblWorld* world, const rblManifold* manifold)
{
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const rblShapeView* shape_a = &world->bodies.data[pair->a].shape;
    const rblShapeView* shape_b = &world->bodies.data[pair->b].shape;
    const float way = 0.5f * rbl_minf(shape_a->bounded ? shape_a->inner_radius : INFINITY,
                                      shape_b->bounded ? shape_b->inner_radius : INFINITY);
    rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    bool held = false;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblVec3 normal = world->solver_contacts.data[manifold->first + i].normal;
        const float closing_a = rbl_dot3(a->velocity, normal);
        const float closing_b = -rbl_dot3(b->velocity, normal);
        if (a->inverse_mass > 0.0f && closing_a * a->seconds > way)
        {
            a->seconds = way / closing_a;
            held = true;
        }
        if (b->inverse_mass > 0.0f && closing_b * b->seconds > way)
        {
            b->seconds = way / closing_b;
            held = true;
        }
    }
    return held;
}

static void hold_fast_bodies(rblWorld* world)
{
    bool held = false;
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        held = (manifold->fast && hold_back(world, manifold)) || held;
    }
    for (size_t m = 0; m < world->manifolds.count && held; ++m)
    {
        rblManifold* manifold = &world->manifolds.data[m];
        manifold->seconds = rbl_maxf(world->solver_bodies.data[manifold->a].seconds,
                                     world->solver_bodies.data[manifold->b].seconds);
    }
}

// Joints lose relative velocity that they cannot follow; the pairs of their bodies are looked at again.
static bool tighten_joints(rblWorld* world, float threshold, uint32_t sweep)
{
    if (!rbl_tighten_joints(world, threshold))
    {
        return false;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            world->last_change.data[joint->solver_a] = sweep + 1;
            world->last_change.data[joint->solver_b] = sweep + 1;
        }
    }
    world->last_change.data[0] = 0; // the static world
    return true;
}

rblResult rbl_resolve_impacts(rblWorld* world)
{
    const size_t bodies = world->solver_bodies.count;
    if (!rbl_array_resize_amply(&world->times, bodies) || !rbl_array_resize_amply(&world->speeds, bodies) ||
        !rbl_array_resize_amply(&world->last_change, bodies))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < bodies; ++i)
    {
        world->last_change.data[i] = 0;
    }
    const float threshold = rbl_impact_speed(world);
    bool any = rbl_fly_to_impacts(world, threshold);
    any = tighten_joints(world, threshold, 0) || any;
    const bool hit = any;
    for (uint32_t sweep = 0; sweep < RBL_IMPACT_SWEEPS && any; ++sweep)
    {
        any = rbl_sweep_impacts(world, threshold, sweep);
        any = tighten_joints(world, threshold, sweep) || any;
    }
    if (hit)
    {
        rbl_book_impacts(world);
        rbl_store_velocities(world, world->at_start.data);
    }
    hold_fast_bodies(world);
    return RBL_OK;
}
