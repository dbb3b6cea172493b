// Overlap that the velocity solve left is undone by moving bodies, without giving them speed. Lifting a body costs energy: an
// island may spend what its own contacts dissipated in the same step, and no more. Overlap that was there when a body was born or
// teleported is undone at a bounded speed in any case, and what that costs is booked as work.
#include "dynamics/contact_math.h"
#include "dynamics/stages.h"

#define SWEEPS 4
#define SHARE  0.5f // of the overlap undone in one step

// Displacements in place of velocities: the solver's own mathematics, normal direction only.
typedef struct Drift
{
    rblWorld* world;
    uint32_t first; // manifold of the colour
} Drift;

// How far the contact must open: `target`, in metres. Contacts with a gap may close it.
static void aim_contact(const rblWorld* world, const rblManifold* manifold, rblSolverContact* contact)
{
    const rblVelocity* before_a = &world->before_contacts.data[manifold->a];
    const rblVelocity* before_b = &world->before_contacts.data[manifold->b];
    rblSolverBody a = world->solver_bodies.data[manifold->a];
    rblSolverBody b = world->solver_bodies.data[manifold->b];
    const rblVec3 after = rbl_relative_velocity(&a, &b, contact->arm_a, contact->arm_b);
    a.velocity = before_a->velocity;
    a.spin = before_a->spin;
    b.velocity = before_b->velocity;
    b.spin = before_b->spin;
    const rblVec3 before = rbl_relative_velocity(&a, &b, contact->arm_a, contact->arm_b);
    const float mean = 0.5f * rbl_dot3(contact->normal, rbl_add3(before, after));
    contact->gap += manifold->seconds * mean;
    const float depth = -contact->gap - manifold->slop;
    const float most = world->def.recovery_speed * world->seconds;
    contact->target = depth > 0.0f ? rbl_minf(SHARE * depth, most) : rbl_minf(0.0f, -contact->gap);
}

static void aim_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        rblManifold* manifold = &world->manifolds.data[m];
        manifold->deepest = 0.0f;
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            aim_contact(world, manifold, contact);
            contact->pressed = contact->push;
            contact->push = 0.0f;
            manifold->deepest = rbl_maxf(manifold->deepest, -contact->gap);
        }
    }
}

static uint32_t manifold_island(const rblWorld* world, const rblManifold* manifold)
{
    const uint32_t a = world->solver_bodies.data[manifold->a].island;
    return a != RBL_NONE ? a : world->solver_bodies.data[manifold->b].island;
}

static bool is_still(const rblSolverBody* body)
{
    return rbl_dot3(body->velocity, body->velocity) + rbl_dot3(body->spin, body->spin) == 0.0f;
}

static void push_block(rblRange range, void* context)
{
    Drift* drift = context;
    rblWorld* world = drift->world;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[drift->first + m];
        if (!world->islands.data[manifold_island(world, manifold)].corrects)
        {
            continue;
        }
        if (manifold->deepest <= manifold->slop && is_still(&world->solver_bodies.data[manifold->a]) &&
            is_still(&world->solver_bodies.data[manifold->b]))
        {
            continue; // nothing to undo, and nothing came into its way
        }
        rblSolverBody a = world->solver_bodies.data[manifold->a];
        rblSolverBody b = world->solver_bodies.data[manifold->b];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            const rblVec3 way = rbl_relative_velocity(&a, &b, contact->arm_a, contact->arm_b);
            const float miss = contact->target - rbl_dot3(way, contact->normal);
            const float push = rbl_maxf(contact->push + contact->normal_mass * miss, 0.0f);
            const rblVec3 impulse = rbl_scale3(contact->normal, push - contact->push);
            contact->push = push;
            rbl_apply_impulse(&a, &b, contact->arm_a, contact->arm_b, impulse);
        }
        rbl_store_body(&world->solver_bodies.data[manifold->a], &a);
        rbl_store_body(&world->solver_bodies.data[manifold->b], &b);
    }
}

static void push_apart(rblWorld* world)
{
    Drift drift = {.world = world};
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
    {
        for (uint32_t c = 0; c < world->color_count; ++c)
        {
            const uint32_t count = world->color_starts[c + 1] - world->color_starts[c];
            drift.first = world->color_starts[c];
            rbl_parallel_for(c + 1 < RBL_MAX_COLORS ? world->jobs : rbl_serial_jobs(), count, 256, push_block,
                             &drift);
        }
    }
}

// ---- what it costs ----

// Potential energy that the displacements of an island would add.
static double lifting(const rblWorld* world, const rblIsland* island)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblSolverBody* body = &world->solver_bodies.data[world->island_bodies.data[island->first + i]];
        const rblBody* record = &world->bodies.data[body->slot];
        const double along = (double)rbl_dot3(world->def.gravity, body->velocity);
        sum -= (double)record->mass * (double)record->gravity_scale * along;
    }
    return sum;
}

// Move by the displacement, turn by the rotation vector; the momentum turns along, so that the energy stays. Returns what that
// does to the angular momentum about the world's origin.
static rblVec3d displace(const rblBody* record, rblMotion* motion, const rblSolverBody* body, float share)
{
    const rblVec3 before = motion->momentum;
    const rblVec3 way = rbl_scale3(body->velocity, share);
    motion->center = rbl_add3(motion->center, way);
    const rblVec3 half = rbl_scale3(body->spin, 0.5f * share);
    const rblQuat turn = rbl_quat_normalize((rblQuat){half.x, half.y, half.z, 1.0f});
    motion->orientation = rbl_quat_normalize(rbl_quat_mul(turn, motion->orientation));
    motion->momentum = rbl_rotate3(turn, motion->momentum);
    motion->spin = rbl_rotate3(turn, motion->spin);
    const rblVec3d orbital = rbl_cross3d(rbl_to_double3(way), rbl_to_double3(motion->velocity));
    return rbl_add3d(rbl_scale3d(orbital, (double)record->mass),
                     rbl_to_double3(rbl_sub3(motion->momentum, before)));
}

static void displace_island(rblWorld* world, rblIsland* island)
{
    const double cost = lifting(world, island);
    double share = 1.0;
    if (cost > island->budget)
    {
        share = island->recovering ? 1.0 : island->budget / cost;
        island->recovery_work = island->recovering ? cost - island->budget : 0.0;
    }
    for (uint32_t i = 0; i < island->count && share > 0.0; ++i)
    {
        const rblSolverBody* body = &world->solver_bodies.data[world->island_bodies.data[island->first + i]];
        const rblVec3d change =
            displace(&world->bodies.data[body->slot], &world->motions.data[body->slot], body, (float)share);
        island->drift_momentum = rbl_add3d(island->drift_momentum, change);
    }
}

static void displace_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        displace_island(world, &world->islands.data[i]);
    }
}

// ---- the stage ----

static void clear_velocities(rblWorld* world)
{
    for (size_t i = 0; i < world->solver_bodies.count; ++i)
    {
        world->solver_bodies.data[i].velocity = rbl_vec3(0, 0, 0);
        world->solver_bodies.data[i].spin = rbl_vec3(0, 0, 0);
    }
}

// An island can do something about its overlap when it could lift itself by a hundredth of a slop.
static bool can_pay(const rblWorld* world, const rblIsland* island, float slop)
{
    double mass = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblSolverBody* body = &world->solver_bodies.data[world->island_bodies.data[island->first + i]];
        mass += (double)world->bodies.data[body->slot].mass;
    }
    const double weight = mass * (double)rbl_length3(world->def.gravity);
    return island->recovering || island->budget > 0.01 * (double)slop * weight;
}

// Which islands recover from overlap at birth, and whether any overlap can be undone at all.
static bool find_overlap(rblWorld* world)
{
    bool any = false;
    for (size_t i = 0; i < world->islands.count; ++i)
    {
        world->islands.data[i].slop = INFINITY;
    }
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        rblPair* pair = &world->pairs.data[manifold->pair];
        rblIsland* island = &world->islands.data[manifold_island(world, manifold)];
        if (manifold->deepest > manifold->slop)
        {
            island->slop = rbl_minf(island->slop, manifold->slop);
        }
        pair->born_depth = rbl_minf(pair->born_depth, manifold->deepest);
        if (pair->born_depth > manifold->slop)
        {
            island->recovering = true;
        }
    }
    for (size_t i = 0; i < world->islands.count; ++i)
    {
        rblIsland* island = &world->islands.data[i];
        island->corrects = island->slop < INFINITY && can_pay(world, island, island->slop);
        any = any || island->corrects;
    }
    return any;
}

rblResult rbl_correct_drift(rblWorld* world)
{
    rbl_parallel_for(world->jobs, (uint32_t)world->manifolds.count, 64, aim_block, world);
    if (!find_overlap(world))
    {
        return RBL_OK;
    }
    clear_velocities(world);
    push_apart(world);
    rbl_parallel_for(world->jobs, (uint32_t)world->islands.count, 16, displace_block, world);
    for (size_t i = 0; i < world->islands.count; ++i)
    {
        const rblIsland* island = &world->islands.data[i];
        world->energy.work += island->recovery_work;
        world->energy.drift_momentum[0] += island->drift_momentum.x;
        world->energy.drift_momentum[1] += island->drift_momentum.y;
        world->energy.drift_momentum[2] += island->drift_momentum.z;
    }
    return RBL_OK;
}
