// Energy clamp: no island gains energy in the contact solve (Su 2009, sec. 3, in the form of docs/step.md, section 7).
//
// Let v' be the velocities before, v* those with forces but without contacts, and v* + D those with contacts. Scaling all
// impulses of an island by eps changes its energy by
//   E(eps) = eps (B - W) + eps^2 A,   B = sum m D.(v' + v*) / 2,   A = sum m D.D / 2   (and the same for spins with I),
// with W the work of kinematic bodies. The roots are 0 and -(B - W) / A: eps is the smaller of the second one and 1.
#include "dynamics/solve/contact_math.h"
#include "dynamics/solve/wide.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define GAINER_SHARE 0.01 // of the gain of an island: a body that gains more may be scaled alone

static rblVec3d spin_in_body(const rblMotion* motion, rblVec3 spin)
{
    return rbl_to_double3(rbl_inverse_rotate3(motion->orientation, spin));
}

static rblGrowth body_growth(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblMotion* motion = &world->motions.data[body->slot];
    const rblVelocity* before = &step->before_contacts.data[index];
    const rblVelocity* free = &step->unconstrained.data[index];
    const rblVec3d d = rbl_to_double3(rbl_sub3(body->velocity, free->velocity));
    const rblVec3d sum = rbl_to_double3(rbl_add3(before->velocity, free->velocity));
    const rblVec3d dw = spin_in_body(motion, rbl_sub3(body->spin, free->spin));
    const rblVec3d sum_w = spin_in_body(motion, rbl_add3(before->spin, free->spin));
    const double mass = (double)world->bodies.data[body->slot].mass;
    const rblVec3d moments = rbl_to_double3(motion->moments);
    return (rblGrowth){
        0.5 * (mass * rbl_dot3d(d, sum) + moments.x * dw.x * sum_w.x + moments.y * dw.y * sum_w.y +
               moments.z * dw.z * sum_w.z),
        0.5 * (mass * rbl_dot3d(d, d) + moments.x * dw.x * dw.x + moments.y * dw.y * dw.y +
               moments.z * dw.z * dw.z),
        1.0f,
    };
}

static void scale_body(rblStep* step, uint32_t index, float share)
{
    rblSolverBody* body = &step->solver_bodies.data[index];
    const rblVelocity* free = &step->unconstrained.data[index];
    body->velocity = rbl_mul_add3(free->velocity, share, rbl_sub3(body->velocity, free->velocity));
    body->spin = rbl_mul_add3(free->spin, share, rbl_sub3(body->spin, free->spin));
    step->growths.data[index].share = share;
}

static void scale_impulses(rblStep* step, const rblIsland* island, float share)
{
    for (uint32_t i = 0; i < island->count; ++i)
    {
        scale_body(step, step->island_bodies.data[island->first + i], share);
    }
}

// Whether a body has a large part in the gain of its island.
static bool is_gainer(const rblGrowth* growth, double least)
{
    return growth->linear + growth->square >= least;
}

// In a large heap only a few bodies gain energy, wedged between others. Scaling the impulses of all bodies would let the
// whole heap fall for a step. The energy is a sum over bodies, so these bodies can be scaled alone: with l and s the sums of
// their linear and square parts and r the sum of the others, by e with e l + e^2 s + r = 0. Action and reaction then differ,
// so this is only for islands with a support, which takes the difference. False: the equation has no solution.
static bool clamp_gainers(rblStep* step, const rblIsland* island, double total)
{
    const double least = GAINER_SHARE * total;
    rblGrowth sum = {.share = 1.0f};
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblGrowth* growth = &step->growths.data[step->island_bodies.data[island->first + i]];
        sum.linear += is_gainer(growth, least) ? growth->linear : 0.0;
        sum.square += is_gainer(growth, least) ? growth->square : 0.0;
    }
    const double others = total - (sum.linear + sum.square);
    if (!(others <= 0.0 && sum.square > 0.0))
    {
        return false;
    }
    const double root = sqrt(sum.linear * sum.linear - 4.0 * sum.square * others);
    const double share = rbl_mind((root - sum.linear) / (2.0 * sum.square), 1.0);
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t index = step->island_bodies.data[island->first + i];
        if (is_gainer(&step->growths.data[index], least))
        {
            scale_body(step, index, (float)share);
        }
    }
    return true;
}

double rbl_solver_body_kinetic(const rblWorld* world, const rblSolverBody* body)
{
    const rblMotion* motion = &world->motions.data[body->slot];
    const rblVec3d v = rbl_to_double3(body->velocity);
    const rblVec3d w = spin_in_body(motion, body->spin);
    const rblVec3d moments = rbl_to_double3(motion->moments);
    const double mass = (double)world->bodies.data[body->slot].mass;
    return 0.5 *
           (mass * rbl_dot3d(v, v) + moments.x * w.x * w.x + moments.y * w.y * w.y + moments.z * w.z * w.z);
}

// The solve corrects small position errors of joints, which may cost or gain a little energy. Scaled impulses would pull
// joints apart. Instead the velocities at the end are scaled by f with
//   f^2 K - f P = K - P - growth,   K the kinetic energy at the end,
//   P = sum (m g + F).v h / 2 + T.w h / 2: the energy that gravity, forces and torques add when bodies move by v and turn by w.
static bool trim_velocities(rblStep* step, const rblIsland* island, double growth)
{
    rblWorld* world = step->world;
    double kinetic = 0.0;
    double driven = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[step->island_bodies.data[island->first + i]];
        const rblVec3d v = rbl_to_double3(body->velocity);
        const rblVec3d a = rbl_to_double3(rbl_body_linear_acceleration(world, body));
        const double mass = (double)world->bodies.data[body->slot].mass;
        kinetic += rbl_solver_body_kinetic(world, body);
        const rblVec3d torque = rbl_to_double3(world->bodies.data[body->slot].torque);
        driven += 0.5 * (double)body->seconds *
                  (mass * rbl_dot3d(a, v) + rbl_dot3d(torque, rbl_to_double3(body->spin)));
    }
    const double discriminant = driven * driven + 4.0 * kinetic * (kinetic - driven - growth);
    const double f =
        kinetic > 0.0 && discriminant >= 0.0 ? (driven + sqrt(discriminant)) / (2.0 * kinetic) : 0.0;
    if (!(f > 0.0 && f <= 1.0))
    {
        return false;
    }
    for (uint32_t i = 0; i < island->count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[step->island_bodies.data[island->first + i]];
        body->velocity = rbl_scale3(body->velocity, (float)f);
        body->spin = rbl_scale3(body->spin, (float)f);
    }
    return true;
}

// The energy gain by joints is removed after the bodies have moved (joint_settle.c), unless it is more than half of the
// kinetic energy. Returns whether nothing needs to be clamped now.
static bool joints_can_wait(const rblStep* step, rblIsland* island, double growth)
{
    const rblWorld* world = step->world;
    double kinetic = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        kinetic += rbl_solver_body_kinetic(
            world, &step->solver_bodies.data[step->island_bodies.data[island->first + i]]);
    }
    const double given = growth - rbl_mind(island->pressed_work, 0.0);
    if (!(given < 0.5 * kinetic))
    {
        return growth <= 0.0;
    }
    island->joint_loss -= given;
    island->contact_loss = -rbl_mind(island->pressed_work, 0.0);
    island->budget += rbl_maxd(0.0, -island->pressed_work);
    return true;
}

static void grow_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const bool moved = step->solver_bodies.data[i].island != RBL_NONE;
        step->growths.data[i] = moved ? body_growth(step, i) : (rblGrowth){.share = 1.0f};
    }
}

static void clamp_island(rblStep* step, rblIsland* island)
{
    rblGrowth sum = {.share = 1.0f};
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblGrowth growth = step->growths.data[step->island_bodies.data[island->first + i]];
        sum.linear += growth.linear;
        sum.square += growth.square;
    }
    sum.linear -= island->contact_work + island->elastic_work - island->absorbed;
    island->budget += island->impact_work; // energy that a kinematic body took is not dissipated
    if (step->world->ignores_energy)
    {
        island->budget = RBL_UNLIMITED_ENERGY;
        return;
    }
    double share = 1.0;
    if (island->jointed && joints_can_wait(step, island, sum.linear + sum.square))
    {
        return;
    }
    if (sum.linear + sum.square > 0.0)
    {
        if (island->jointed && trim_velocities(step, island, sum.linear + sum.square))
        {
            return;
        }
        share = sum.square > 0.0 && sum.linear < 0.0 ? -sum.linear / sum.square : 0.0;
        island->clamped = sum.linear + sum.square;
        if (island->grounded && island->contact_work == 0.0 && clamp_gainers(step, island, island->clamped))
        {
            return; // the sum is now zero
        }
        scale_impulses(step, island, (float)share);
    }
    island->contact_work *= share;
    island->elastic_work *= share;
    island->contact_loss = -share * (sum.linear + share * sum.square);
    island->budget += rbl_maxd(0.0, island->contact_loss);
}

double rbl_kinematic_work(const rblStep* step, const rblManifold* manifold, const rblSolverBody* a,
                          const rblSolverBody* b)
{
    if (a->inverse_mass > 0.0f && b->inverse_mass > 0.0f)
    {
        return 0.0;
    }
    const bool a_driven = a->inverse_mass > 0.0f;
    const rblSolverBody* driver = a_driven ? b : a;
    double work = 0.0;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const rblVec3 arm = a_driven ? contact->arm_b : contact->arm_a;
        const rblVec3 velocity = rbl_add3(driver->velocity, rbl_cross3(driver->spin, arm));
        const double power = (double)rbl_dot3(rbl_contact_impulse(contact), velocity);
        work += a_driven ? -power : power;
    }
    return work;
}

// Work of the impulses of a manifold: J . (u + u') / 2.
static double pressed_work(const rblStep* step, const rblManifold* manifold)
{
    rblSolverBody a = step->solver_bodies.data[manifold->a];
    rblSolverBody b = step->solver_bodies.data[manifold->b];
    a.velocity = rbl_add3(a.velocity, step->before_contacts.data[manifold->a].velocity);
    a.spin = rbl_add3(a.spin, step->before_contacts.data[manifold->a].spin);
    b.velocity = rbl_add3(b.velocity, step->before_contacts.data[manifold->b].velocity);
    b.spin = rbl_add3(b.spin, step->before_contacts.data[manifold->b].spin);
    double work = 0.0;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const rblVec3 sum = rbl_relative_velocity(&a, &b, contact->arm_a, contact->arm_b);
        work += 0.5 * (double)rbl_dot3(rbl_contact_impulse(contact), sum);
    }
    return work;
}

// Work that bodies of infinite mass do on an island through its contacts.
static void add_contact_work(rblStep* step, const rblManifold* manifold)
{
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    rblIsland* island = &step->islands.data[a->inverse_mass > 0.0f ? a->island : b->island];
    if (island->jointed)
    {
        rbl_manifold_unpack(step, manifold);
        island->pressed_work += pressed_work(step, manifold);
    }
    if (a->inverse_mass > 0.0f && b->inverse_mass > 0.0f)
    {
        return;
    }
    island->impact_work += manifold->kinematic_work;
    const rblSolverBody* driver = a->inverse_mass > 0.0f ? b : a;
    if (rbl_dot3(driver->velocity, driver->velocity) + rbl_dot3(driver->spin, driver->spin) == 0.0f)
    {
        return;
    }
    rbl_manifold_unpack(step, manifold);
    island->contact_work += rbl_kinematic_work(step, manifold, a, b);
}

// Siblings lose energy by their lasting contacts, too, -J . (u + u') / 2. Their impulses are scaled as those of the bodies.
static double sibling_loss(rblStep* step, const rblManifold* manifold)
{
    const float a = step->growths.data[manifold->a].share;
    const float b = step->growths.data[manifold->b].share;
    rbl_manifold_unpack(step, manifold);
    return rbl_maxd(-(double)rbl_minf(a, b) * pressed_work(step, manifold), 0.0);
}

// A contact of the island may gain what others lose. Siblings lose no more than the island.
static void book_siblings(rblStep* step)
{
    rblWorld* world = step->world;
    for (int pass = 0; pass < 2 && world->has_siblings; ++pass)
    {
        for (size_t m = 0; m < step->manifolds.count; ++m)
        {
            rblManifold* manifold = &step->manifolds.data[m];
            rblIsland* island = &step->islands.data[rbl_manifold_island(step, manifold)];
            if (manifold->siblings && pass == 0)
            {
                manifold->sibling_loss = sibling_loss(step, manifold);
                island->sibling_loss += manifold->sibling_loss;
            }
            else if (manifold->siblings && island->contact_loss > 0.0)
            {
                const bool less = island->contact_loss < island->sibling_loss;
                const double share = less ? island->contact_loss / island->sibling_loss : 1.0;
                island->budget -= rbl_break_add_heat(world, world->pairs.data[manifold->pair].a,
                                                     share * manifold->sibling_loss);
            }
        }
    }
}

static bool moves(const rblSolverBody* body)
{
    return rbl_dot3(body->velocity, body->velocity) + rbl_dot3(body->spin, body->spin) > 0.0f;
}

static void add_joint_work(rblStep* step, const rblJoint* joint)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    rblIsland* island = &step->islands.data[rbl_joint_island(step, joint)];
    const rblJointWork work = rbl_joint_work(step, joint);
    island->contact_work += work.driven;
    island->elastic_work += work.elastic;
    island->absorbed += work.absorbed;
    island->impact_work += joint->impact_work;
    island->jointed = true;
    island->dragged =
        island->dragged || (a->island == RBL_NONE && moves(a)) || (b->island == RBL_NONE && moves(b));
}

static void clamp_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        clamp_island(step, &step->islands.data[i]);
    }
}

rblResult rbl_islands_clamp(rblStep* step)
{
    rblWorld* world = step->world;
    if (!rbl_array_resize_amply(&step->growths, step->solver_bodies.count))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        if (rbl_joint_is_active(step, &world->joints.data[i]))
        {
            add_joint_work(step, &world->joints.data[i]);
        }
    }
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        add_contact_work(step, &step->manifolds.data[m]);
    }
    rbl_parallel_for(world->jobs, (uint32_t)step->solver_bodies.count, 64, grow_block, step);
    rbl_parallel_for(world->jobs, (uint32_t)step->islands.count, 16, clamp_block, step);
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        const rblIsland* island = &step->islands.data[i];
        world->energy.work += island->impact_work + island->contact_work + island->elastic_work;
        world->contact_loss += island->impact_work + island->contact_loss;
        world->energy.clamped += island->clamped;
        world->energy.clamp_count += island->clamped > 0.0;
    }
    book_siblings(step);
    return RBL_OK;
}
