// Lasting contacts over the rest of the step.
//
// Positions move by the mean of the velocities before and after, so that the energy of a step changes by exactly
//   sum over contacts J . (u' + u) / 2,   u' and u the relative velocities before and after (docs/step.md).
// A contact with gap g and time h left asks for a normal velocity of at least min(0, -u' - 2 g / h): it may close its gap and no
// more, it never bounces, and whatever it does costs energy.
#include "dynamics/contact_math.h"
#include "dynamics/stages.h"
#include "dynamics/subspace.h"

#define ENOUGH        1e-5f // m/s: stop when no contact changes by more
#define MIN_MANIFOLDS 256   // of a colour for one worker: less is not worth waking another
#define AT_REST       1e-4f // m/s

// ---- before ----

static void kick_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblSolverBody* body = &world->solver_bodies.data[i + 1];
        world->before_contacts.data[i + 1] = (rblVelocity){body->velocity, body->spin};
        if (body->inverse_mass > 0.0f)
        {
            body->velocity =
                rbl_mul_add3(body->velocity, body->seconds, rbl_linear_acceleration(world, body));
            body->spin = rbl_mul_add3(body->spin, body->seconds, rbl_angular_acceleration(world, body));
        }
        world->unconstrained.data[i + 1] = (rblVelocity){body->velocity, body->spin};
    }
}

// Gaps and speeds that mean "at rest" count as none: the corners of a resting box then ask for the same thing.
static float contact_target(const rblManifold* manifold, const rblSolverContact* contact, float before)
{
    const float gap = rbl_maxf(contact->gap - manifold->slop, 0.0f);
    const float speed = fabsf(before) < AT_REST ? 0.0f : before;
    if (gap == 0.0f)
    {
        return rbl_minf(0.0f, -speed);
    }
    return manifold->seconds > 0.0f ? rbl_minf(0.0f, -speed - 2.0f * gap / manifold->seconds) : -INFINITY;
}

// Positions move by half a step with the old velocities and by half with the new ones: the impulses act in between. For the two
// bodies of a pair to exchange no angular momentum but through one point, the arms are those at mid-step.
static void move_arms(const rblManifold* manifold, const rblSolverBody* a, const rblSolverBody* b,
                      rblSolverContact* contact)
{
    const rblVec3 way = rbl_scale3(rbl_sub3(b->velocity, a->velocity), 0.25f * manifold->seconds);
    const bool both = a->inverse_mass > 0.0f && b->inverse_mass > 0.0f;
    if (both && rbl_dot3(way, way) > 1e-10f)
    {
        contact->arm_a = rbl_add3(contact->arm_a, way);
        contact->arm_b = rbl_sub3(contact->arm_b, way);
        rbl_prepare_masses(a, b, contact);
    }
}

static void aim_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        rblSolverBody a = world->solver_bodies.data[manifold->a];
        rblSolverBody b = world->solver_bodies.data[manifold->b];
        a.velocity = world->before_contacts.data[manifold->a].velocity;
        a.spin = world->before_contacts.data[manifold->a].spin;
        b.velocity = world->before_contacts.data[manifold->b].velocity;
        b.spin = world->before_contacts.data[manifold->b].spin;
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            const rblContact* last = &world->contacts.data[manifold->contact + i];
            move_arms(manifold, &a, &b, contact);
            const rblVec3 u = rbl_relative_velocity(&a, &b, contact->arm_a, contact->arm_b);
            contact->target = contact_target(manifold, contact, rbl_dot3(u, contact->normal));
            contact->push = last->push;
            contact->slide[0] = rbl_dot3(last->friction, contact->tangent);
            contact->slide[1] = rbl_dot3(last->friction, rbl_contact_tangent2(contact));
        }
    }
}

// ---- sweeps ----

// Projected Gauss-Seidel, sped up by conjugate directions (Silcowitz, Niebe and Erleben 2010): what a sweep changes is taken as
// the gradient, and each sweep is followed by a step along what the sweeps before it did. A stack of n boxes takes about n
// sweeps instead of n^2.
typedef struct Sweep
{
    rblWorld* world;
    uint32_t first;                // manifold of the colour
    float along;                   // beta: how far to go along the directions
    double square[RBL_MAX_BLOCKS]; // of all changes of impulses, as velocities
    float largest[RBL_MAX_BLOCKS]; // change of a velocity, m/s
} Sweep;

typedef struct Change
{
    double square;
    float largest;
} Change;

static rblVec3 frame_impulse(const rblSolverContact* contact, const float amounts[3])
{
    rblVec3 impulse = rbl_scale3(contact->normal, amounts[0]);
    impulse = rbl_mul_add3(impulse, amounts[1], contact->tangent);
    return rbl_mul_add3(impulse, amounts[2], rbl_contact_tangent2(contact));
}

static void solve_manifold(const rblManifold* manifold, rblSolverBody* a, rblSolverBody* b,
                           rblSolverContact* contacts, Change* change)
{
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &contacts[i];
        rbl_solve_contact(a, b, contact, manifold->friction);
        const float square = contact->change[0] * contact->change[0] +
                             contact->change[1] * contact->change[1] +
                             contact->change[2] * contact->change[2];
        change->square += (double)(square / contact->normal_mass);
        change->largest = rbl_maxf(change->largest, sqrtf(square) / contact->normal_mass);
    }
}

static void sweep_block(rblRange range, void* context)
{
    Sweep* sweep = context;
    rblWorld* world = sweep->world;
    Change change = {0.0, 0.0f};
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[sweep->first + m];
        rblSolverBody a = world->solver_bodies.data[manifold->a];
        rblSolverBody b = world->solver_bodies.data[manifold->b];
        solve_manifold(manifold, &a, &b, &world->solver_contacts.data[manifold->first], &change);
        rbl_store_body(&world->solver_bodies.data[manifold->a], &a);
        rbl_store_body(&world->solver_bodies.data[manifold->b], &b);
    }
    sweep->square[range.block] = change.square;
    sweep->largest[range.block] = change.largest;
}

// Apply the impulses of the last step.
static void warm_start_block(rblRange range, void* context)
{
    const Sweep* sweep = context;
    rblWorld* world = sweep->world;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[sweep->first + m];
        rblSolverBody a = world->solver_bodies.data[manifold->a];
        rblSolverBody b = world->solver_bodies.data[manifold->b];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            const rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            rbl_apply_impulse(&a, &b, contact->arm_a, contact->arm_b, rbl_contact_impulse(contact));
        }
        rbl_store_body(&world->solver_bodies.data[manifold->a], &a);
        rbl_store_body(&world->solver_bodies.data[manifold->b], &b);
    }
}

// lambda += beta p, then p = beta p + change. The next sweep puts impulses back into their cones.
static void extrapolate_block(rblRange range, void* context)
{
    const Sweep* sweep = context;
    rblWorld* world = sweep->world;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[sweep->first + m];
        rblSolverBody a = world->solver_bodies.data[manifold->a];
        rblSolverBody b = world->solver_bodies.data[manifold->b];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            float amounts[3];
            for (int k = 0; k < 3; ++k)
            {
                amounts[k] = sweep->along * contact->direction[k];
                contact->direction[k] = amounts[k] + contact->change[k];
            }
            contact->push += amounts[0];
            contact->slide[0] += amounts[1];
            contact->slide[1] += amounts[2];
            rbl_apply_impulse(&a, &b, contact->arm_a, contact->arm_b, frame_impulse(contact, amounts));
        }
        rbl_store_body(&world->solver_bodies.data[manifold->a], &a);
        rbl_store_body(&world->solver_bodies.data[manifold->b], &b);
    }
}

static void forget_directions_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblSolverContact* contact = &world->solver_contacts.data[i];
        for (int k = 0; k < 3; ++k)
        {
            contact->direction[k] = 0.0f;
        }
    }
}

static Change for_each_color(rblWorld* world, rblRangeFcn* block, float along, bool sums)
{
    Sweep sweep = {.world = world, .along = along};
    Change change = {0.0, 0.0f};
    for (uint32_t c = 0; c < world->color_count; ++c)
    {
        const uint32_t count = world->color_starts[c + 1] - world->color_starts[c];
        sweep.first = world->color_starts[c];
        rbl_parallel_for(c + 1 < RBL_MAX_COLORS ? world->jobs : rbl_serial_jobs(), count, MIN_MANIFOLDS,
                         block, &sweep);
        for (uint32_t b = 0; sums && b < rbl_block_count(count, MIN_MANIFOLDS); ++b)
        {
            change.square += sweep.square[b];
            change.largest = rbl_maxf(change.largest, sweep.largest[b]);
        }
    }
    return change;
}

static Change sweep_once(rblWorld* world)
{
    const float joints = rbl_sweep_joints(world);
    Change change = for_each_color(world, sweep_block, 0.0f, true);
    change.largest = rbl_maxf(change.largest, joints);
    return change;
}

// Sweeps with conjugate directions. Returns the last change.
static float iterate(rblWorld* world, uint32_t most)
{
    double last = 0.0;
    for (uint32_t i = 0;; ++i)
    {
        const Change change = sweep_once(world);
        if (change.largest < ENOUGH || i + 1 >= most)
        {
            return change.largest;
        }
        if (last > 0.0 && change.square <= last)
        {
            for_each_color(world, extrapolate_block, (float)(change.square / last), false);
        }
        else
        {
            rbl_parallel_for(world->jobs, (uint32_t)world->solver_contacts.count, 256,
                             forget_directions_block, world);
        }
        last = change.square;
    }
}

// A tower of boxes is worth many rounds, a heap of rubble is not: it would not look different.
static uint32_t most_rounds(const rblWorld* world)
{
    const size_t contacts = world->solver_contacts.count;
    if (contacts <= RBL_SMALL_ISLAND / 4)
    {
        return 6;
    }
    if (contacts <= RBL_SMALL_ISLAND)
    {
        return 3;
    }
    return world->joint_ids.alive > 0 ? 2 : 1;
}

// Sweeps for all; between them, small islands are solved in the subspace of the contacts that hold.
static rblResult solve_rounds(rblWorld* world)
{
    const uint32_t rounds = most_rounds(world);
    for (uint32_t round = 0; round < rounds; ++round)
    {
        if (round > 0)
        {
            rbl_refresh_joints(world);
        }
        const float change = iterate(world, world->def.iterations);
        if (round + 1 == rounds || (change < ENOUGH && round > 0))
        {
            return RBL_OK;
        }
        RBL_TRY(rbl_solve_subspaces(world));
    }
    return RBL_OK;
}

rblResult rbl_solve_contacts(rblWorld* world)
{
    const uint32_t bodies = (uint32_t)world->solver_bodies.count - 1;
    world->before_contacts.data[0] = world->at_start.data[0];
    world->unconstrained.data[0] = world->at_start.data[0];
    rbl_prepare_joints(world); // velocities are still those before
    rbl_parallel_for(world->jobs, bodies, 256, kick_block, world);
    rbl_parallel_for(world->jobs, (uint32_t)world->manifolds.count, 64, aim_block, world);
    for_each_color(world, warm_start_block, 0.0f, false);
    rbl_warm_start_joints(world);
    return solve_rounds(world);
}
