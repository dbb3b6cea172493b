// Lasting contacts over the rest of the step.
//
// Positions move by the mean of the velocities before and after, so that the energy of a step changes by exactly
//   sum over contacts J . (u' + u) / 2,   u' and u the relative velocities before and after (docs/step.md).
// A contact with gap g and time h left asks for a normal velocity of at least min(0, -u' - 2 g / h): it may close its gap and no
// more, it never bounces, and whatever it does costs energy.
#include "dynamics/contact_math.h"
#include "dynamics/stages.h"

#define ENOUGH      1e-5f // m/s: stop when no contact changes by more
#define SMALL_WORK  40000 // contacts times iterations that are spent in any case, if they are needed
#define MOST_SWEEPS 500

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

static float contact_target(const rblManifold* manifold, const rblSolverContact* contact, float before)
{
    if (contact->gap <= 0.0f)
    {
        return rbl_minf(0.0f, -before);
    }
    return manifold->seconds > 0.0f ? rbl_minf(0.0f, -before - 2.0f * contact->gap / manifold->seconds)
                                    : -INFINITY;
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
            const rblVec3 u = rbl_relative_velocity(&a, &b, contact->arm_a, contact->arm_b);
            contact->target = contact_target(manifold, contact, rbl_dot3(u, contact->normal));
            contact->push = last->push;
            contact->slide[0] = rbl_dot3(last->friction, contact->tangent);
            contact->slide[1] = rbl_dot3(last->friction, rbl_contact_tangent2(contact));
        }
    }
}

// ---- sweeps ----

typedef struct Sweep
{
    rblWorld* world;
    uint32_t first; // manifold of the colour
    bool warm_start;
    float largest[RBL_MAX_BLOCKS]; // change of a normal velocity, m/s
} Sweep;

static void sweep_block(rblRange range, void* context)
{
    Sweep* sweep = context;
    rblWorld* world = sweep->world;
    float largest = 0.0f;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[sweep->first + m];
        rblSolverBody a = world->solver_bodies.data[manifold->a];
        rblSolverBody b = world->solver_bodies.data[manifold->b];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            if (sweep->warm_start)
            {
                rbl_apply_impulse(&a, &b, contact->arm_a, contact->arm_b, rbl_contact_impulse(contact));
                continue;
            }
            const float change = rbl_solve_contact(&a, &b, contact, manifold->friction);
            largest = rbl_maxf(largest, change / contact->normal_mass);
        }
        rbl_store_body(&world->solver_bodies.data[manifold->a], &a);
        rbl_store_body(&world->solver_bodies.data[manifold->b], &b);
    }
    sweep->largest[range.block] = largest;
}

static float sweep_contacts(rblWorld* world, bool warm)
{
    Sweep sweep = {.world = world, .warm_start = warm};
    float largest = 0.0f;
    for (uint32_t c = 0; c < world->color_count; ++c)
    {
        const uint32_t count = world->color_starts[c + 1] - world->color_starts[c];
        sweep.first = world->color_starts[c];
        rbl_parallel_for(c + 1 < RBL_MAX_COLORS ? world->jobs : rbl_serial_jobs(), count, 64, sweep_block,
                         &sweep);
        for (uint32_t b = 0; b < rbl_block_count(count, 64); ++b)
        {
            largest = rbl_maxf(largest, sweep.largest[b]);
        }
    }
    return largest;
}

// A small scene gets as many sweeps as it needs; a large one the configured number.
static uint32_t most_sweeps(const rblWorld* world)
{
    const uint32_t contacts = (uint32_t)world->solver_contacts.count + 1;
    const uint32_t affordable = SMALL_WORK / contacts < MOST_SWEEPS ? SMALL_WORK / contacts : MOST_SWEEPS;
    return affordable > world->def.iterations ? affordable : world->def.iterations;
}

rblResult rbl_solve_contacts(rblWorld* world)
{
    const uint32_t bodies = (uint32_t)world->solver_bodies.count - 1;
    world->before_contacts.data[0] = world->at_start.data[0];
    world->unconstrained.data[0] = world->at_start.data[0];
    rbl_prepare_joints(world); // velocities are still those before
    rbl_parallel_for(world->jobs, bodies, 256, kick_block, world);
    rbl_parallel_for(world->jobs, (uint32_t)world->manifolds.count, 64, aim_block, world);
    sweep_contacts(world, true);
    rbl_warm_start_joints(world);
    const uint32_t most = most_sweeps(world);
    for (uint32_t i = 0; i < most; ++i)
    {
        if (i == 2 || i == 4 || i == 6)
        {
            rbl_refresh_joints(world);
        }
        const float joints = rbl_sweep_joints(world);
        if (rbl_maxf(sweep_contacts(world, false), joints) < ENOUGH && (i > 6 || world->joints.count == 0))
        {
            break;
        }
    }
    return RBL_OK;
}
