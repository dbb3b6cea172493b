#include "dynamics/solve/subspace.h"

#include "dynamics/solve/subspace_system.h"
#include "dynamics/solve/wide.h"
#include <math.h>

// ---- tuning ----

#define CLOSE_ENOUGH 1e-7 // m/s: smaller residuals count as zero
#define MAX_PASSES   4    // direct solves while contacts leave the active set
#define REST_SPEED   0.5f // m/s: islands of slower bodies count as at rest
#define FAR_OUT      2.0f // times the friction cone: farther out, no direct solve is tried
#define HOPELESS     8 // clamped contacts: with more, and over half of those of the last pass, the passes end
#define FEWER        4 // factor by which the number of clamped contacts must fall in each pass, in small worlds
#define MAX_GAIN     1.5  // times the energy without contacts: a larger gain is rejected
#define SLIGHT       1e-5 // of the energy by gravity in a step: a smaller residual needs no more rounds
#define MINUTE       1e-9 // of that energy: a smaller residual needs no direct solve, except in towers
#define STALE        0.25 // of the residual of the last round: a larger residual means no progress
#define LOST         1e4  // times the residual before a pass: a larger one ends the passes
#define LONGEST_WAIT 3    // steps without a direct solve of an island; with more, piles come to rest later

// ---- the active set ----

// Whether the friction that would stop the point of a contact is far outside its friction cone.
static bool is_sliding(const rblSubspace* system, const rblSubspaceWalk* walk, float limit)
{
    const rblSolverBody* a = &system->step->solver_bodies.data[walk->manifold->a];
    const rblSolverBody* b = &system->step->solver_bodies.data[walk->manifold->b];
    const rblSolverContact* contact = walk->contact;
    const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
    const float* mass = contact->tangent_mass;
    const float x = rbl_dot3(u, contact->tangent);
    const float y = rbl_dot3(u, rbl_contact_tangent2(contact));
    const float tangent_x = contact->tangent_impulse[0] - (mass[0] * x + mass[2] * y);
    const float tangent_y = contact->tangent_impulse[1] - (mass[2] * x + mass[1] * y);
    return tangent_x * tangent_x + tangent_y * tangent_y > FAR_OUT * FAR_OUT * limit * limit;
}

// Contacts with a normal impulse keep their normal velocity; contacts well inside their friction cones also keep their tangential
// velocity. A sliding contact may be inside its cone, too, when its normal impulse grew after its friction impulse.
static uint32_t find_free(const rblSubspace* system)
{
    uint32_t count = 0;
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        const bool freedoms = contact->normal_impulse > 0.0f;
        const float limit = 0.999f * walk.manifold->friction * contact->normal_impulse;
        const float square = contact->tangent_impulse[0] * contact->tangent_impulse[0] +
                             contact->tangent_impulse[1] * contact->tangent_impulse[1];
        const bool sticks = freedoms && square < limit * limit && !is_sliding(system, &walk, limit);
        system->free[at] = freedoms;
        system->free[at + 1] = sticks;
        system->free[at + 2] = sticks;
        count += (freedoms ? 1u : 0u) + (sticks ? 2u : 0u);
    }
    return count;
}

static double find_residual(const rblSubspace* system)
{
    const rblStep* step = system->step;
    double largest = 0.0;
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
        const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
        rblVec3 axes[3];
        rbl_contact_axes(contact, axes);
        for (uint32_t n = 0; n < 3; ++n)
        {
            const double wanted = n == 0 ? (double)contact->target : 0.0;
            const double miss = wanted - (double)rbl_dot3(u, axes[n]);
            system->residual[at + n] = system->free[at + n] ? miss : 0.0;
            largest = rbl_maxd(largest, fabs(system->residual[at + n]));
        }
    }
    return largest;
}

static bool has_misses(const rblSubspace* system)
{
    return find_free(system) > 0 && find_residual(system) > CLOSE_ENOUGH;
}

// ---- one island ----

// Change the impulses and clamp them to their cones. Returns the number of clamped contacts.
static uint32_t change_impulses(const rblSubspace* system)
{
    uint32_t put_back = 0;
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        rblSolverContact* contact = walk.contact;
        double* change = &system->unknown[walk.at];
        const rblVec3d old = {(double)contact->normal_impulse, (double)contact->tangent_impulse[0],
                              (double)contact->tangent_impulse[1]};
        const double normal_impulse = rbl_maxd(old.x + change[0], 0.0);
        double x = old.y + change[1];
        double y = old.z + change[2];
        const double limit = (double)walk.manifold->friction * normal_impulse;
        const double size = sqrt(x * x + y * y);
        if (size > limit)
        {
            x *= limit / size;
            y *= limit / size;
        }
        put_back += (old.x + change[0] < 0.0 || (size > limit && system->free[walk.at + 1])) ? 1u : 0u;
        contact->normal_impulse = (float)normal_impulse;
        contact->tangent_impulse[0] = (float)x;
        contact->tangent_impulse[1] = (float)y;
        change[0] = normal_impulse - old.x;
        change[1] = x - old.y;
        change[2] = y - old.z;
    }
    return put_back;
}

static void apply_unknown(const rblSubspace* system)
{
    rblStep* step = system->step;
    rbl_subspace_apply(system, system->unknown);
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        const rblManifold* manifold = &step->manifolds.data[system->manifolds[k]];
        const uint32_t indices[2] = {manifold->a, manifold->b};
        for (int s = 0; s < 2; ++s)
        {
            rblSolverBody* body = &step->solver_bodies.data[indices[s]];
            double* motion = &system->motion[6 * (size_t)indices[s]];
            if (body->inverse_mass > 0.0f)
            {
                const rblVec3d velocity = {motion[0], motion[1], motion[2]};
                const rblVec3d spin = {motion[3], motion[4], motion[5]};
                body->velocity = rbl_add3(body->velocity, rbl_to_float3(velocity));
                body->spin = rbl_add3(body->spin, rbl_to_float3(spin));
            }
            for (int n = 0; n < 6; ++n)
            {
                motion[n] = 0.0; // a body of several manifolds moves once
            }
        }
    }
}

// Residual energy, J: the change by one more Gauss-Seidel iteration at each contact. Zero when all contacts are solved.
static double remainder_of(const rblSubspace* system)
{
    double sum = 0.0;
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        rblSolverBody a = system->step->solver_bodies.data[walk.manifold->a];
        rblSolverBody b = system->step->solver_bodies.data[walk.manifold->b];
        rblSolverContact contact = *walk.contact;
        rbl_contact_solve(&a, &b, &contact, walk.manifold->friction);
        const double normal_impulse = (double)contact.change[0];
        const double x = (double)contact.change[1];
        const double y = (double)contact.change[2];
        sum += normal_impulse * normal_impulse / (double)contact.normal_mass +
               (x * x + y * y) / (double)contact.tangent_mass[3];
    }
    return sum;
}

static void keep_impulses(const rblSubspace* system)
{
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        system->before[walk.at] = (double)walk.contact->normal_impulse;
        system->before[walk.at + 1] = (double)walk.contact->tangent_impulse[0];
        system->before[walk.at + 2] = (double)walk.contact->tangent_impulse[1];
    }
}

static void take_back(const rblSubspace* system)
{
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        rblSolverContact* contact = walk.contact;
        const double* before = &system->before[walk.at];
        system->unknown[walk.at] = before[0] - (double)contact->normal_impulse;
        system->unknown[walk.at + 1] = before[1] - (double)contact->tangent_impulse[0];
        system->unknown[walk.at + 2] = before[2] - (double)contact->tangent_impulse[1];
        contact->normal_impulse = (float)before[0];
        contact->tangent_impulse[0] = (float)before[1];
        contact->tangent_impulse[1] = (float)before[2];
    }
    apply_unknown(system);
}

static rblBody* body_of(const rblStep* step, const rblIsland* island, uint32_t i)
{
    const rblWorld* world = step->world;
    const uint32_t index = step->island_bodies.data[island->first + i];
    return &world->bodies.data[step->solver_bodies.data[index].slot];
}

// After a direct solve without success an island waits for some steps, longer each time.
static void set_pause(rblStep* step, const rblIsland* island, bool vain)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < island->count && vain; ++i)
    {
        const uint32_t pause = body_of(step, island, i)->direct_pause;
        longest = pause > longest ? pause : longest;
    }
    const uint32_t pause = 2 * longest + 1 < LONGEST_WAIT ? 2 * longest + 1 : LONGEST_WAIT;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        rblBody* body = body_of(step, island, i);
        body->direct_pause = (uint8_t)(vain ? pause : 0);
        body->direct_wait = body->direct_pause;
    }
}

// Whether a body of the island still waits. `first`: the first round of a step, in which the waiting time counts down.
static bool still_waits(rblStep* step, rblIsland* island, bool first)
{
    bool waits = island->waits;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        rblBody* body = body_of(step, island, i);
        waits = waits || body->direct_wait > 0;
        body->direct_wait = (uint8_t)(body->direct_wait - (first && body->direct_wait > 0));
    }
    island->waits = waits;
    return waits;
}

static double energy_of(const rblStep* step, uint32_t index, rblVec3 velocity, rblVec3 spin)
{
    const rblWorld* world = step->world;
    const uint32_t slot = step->solver_bodies.data[index].slot;
    const rblMotion* motion = &world->motions.data[slot];
    const rblVec3d v = rbl_to_double3(velocity);
    const rblVec3d w = rbl_to_double3(rbl_inverse_rotate3(motion->orientation, spin));
    return 0.5 *
           ((double)world->bodies.data[slot].mass * rbl_dot3d(v, v) + (double)motion->moments.x * w.x * w.x +
            (double)motion->moments.y * w.y * w.y + (double)motion->moments.z * w.z * w.z);
}

// Bodies that are wedged into each other have pairs of large impulses that nearly cancel. When one of a pair is clamped, the other
// one gives a large velocity.
static bool is_blown_up(const rblStep* step, const rblIsland* island)
{
    double now = 0.0;
    double free = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t index = step->island_bodies.data[island->first + i];
        const rblSolverBody* body = &step->solver_bodies.data[index];
        const rblVelocity* without = &step->unconstrained.data[index];
        now += energy_of(step, index, body->velocity, body->spin);
        free += energy_of(step, index, without->velocity, without->spin);
    }
    return now > MAX_GAIN * free;
}

// Worlds with so few contacts that later rounds can correct a bad direct solve.
static bool is_small(const rblStep* step)
{
    return step->solver_contacts.count <= RBL_SMALL_WORLD;
}

// Kinetic energy that gravity gives to an island in a step, from rest.
static double fall_of(const rblStep* step, const rblIsland* island)
{
    const rblWorld* world = step->world;
    double mass = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        mass += (double)body_of(step, island, i)->mass;
    }
    const double speed = (double)step->seconds * (double)rbl_length3(world->def.gravity);
    return 0.5 * mass * speed * speed;
}

// Largest number of clamped contacts for another pass, when the pass before clamped `last`.
static uint32_t tolerable(bool small, uint32_t last)
{
    if (small)
    {
        return last / FEWER > 1 ? last / FEWER : 1;
    }
    return last / 2 > HOPELESS ? last / 2 : HOPELESS;
}

// Solve and clamp in turns. Returns the residual; `left` is the residual before. In larger worlds a pass that makes it much worse is
// almost never corrected by the next passes, so the passes end.
static double solve_in_passes(const rblSubspace* system, const rblIsland* island, int passes, double left)
{
    const bool small = is_small(system->step);
    uint32_t last = small ? system->contacts / 2 : UINT32_MAX;
    double after = left;
    for (int pass = 0; pass < passes; ++pass)
    {
        if (pass > 0 && !has_misses(system))
        {
            break;
        }
        rbl_subspace_solve(system, island);
        const uint32_t put_back = change_impulses(system);
        apply_unknown(system);
        after = remainder_of(system);
        if (put_back == 0 || put_back > tolerable(small, last) || (!small && after > LOST * left))
        {
            break;
        }
        last = put_back;
    }
    return after;
}

// With many sliding contacts, the result can be worse than that of the sweeps.
static bool is_worse(const rblStep* step, const rblIsland* island, double before, double after)
{
    return after > before && (!is_small(step) || is_blown_up(step, island));
}

// Joints are solved with the sweeps, so each round changes both.
static bool has_joints(const rblStep* step, const rblIsland* island)
{
    const rblWorld* world = step->world;
    bool any = false;
    for (uint32_t i = 0; i < island->count && world->joint_ids.alive > 0 && !any; ++i)
    {
        any = body_of(step, island, i)->joint_count > 0;
    }
    return any;
}

// Whether a direct solve is useful: active contacts have a residual, and it is smaller than that of the last round. Contacts that
// contradict each other, and active sets that alternate, keep the same residual in any number of rounds.
static bool is_due(const rblSubspace* system, const rblIsland* island, bool first, double left)
{
    if (!first)
    {
        const double before = island->left;
        const bool slight = left < SLIGHT * fall_of(system->step, island);
        if (!(left < (slight ? STALE : 1.0) * before))
        {
            return false;
        }
    }
    return has_misses(system);
}

static rblResult solve_directly(rblSubspace* system, const rblIsland* island, double left, bool* solved)
{
    rblStep* step = system->step;
    bool memory = true;
    if (!rbl_subspace_build(system, island, &memory))
    {
        return memory ? RBL_OK : rbl_fail_memory();
    }
    if (!rbl_subspace_write_rows(system))
    {
        return rbl_fail_memory();
    }
    keep_impulses(system);
    const bool minute = left < MINUTE * fall_of(step, island);
    const double after = solve_in_passes(system, island, minute ? 1 : MAX_PASSES, left);
    const bool worse = is_worse(step, island, left, after);
    if (worse)
    {
        take_back(system);
    }
    set_pause(step, island, worse && !is_small(step));
    *solved = *solved || !worse;
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_impulses_repack(step, &step->manifolds.data[system->manifolds[k]]);
    }
    return RBL_OK;
}

static rblResult solve_island(rblSubspace* system, rblIsland* island, uint32_t round, bool* solved)
{
    rblStep* step = system->step;
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_manifold_unpack(step, &step->manifolds.data[system->manifolds[k]]);
    }
    const double left = remainder_of(system);
    const bool jointed = has_joints(step, island);
    const bool due = is_due(system, island, round == 0 || jointed, left);
    island->left = left;
    island->idle = !due && !jointed;
    if (due)
    {
        return solve_directly(system, island, left, solved);
    }
    *solved = *solved || (jointed && is_small(step));
    return RBL_OK;
}

// ---- all islands ----

// Manifolds by island: start indices, then the list. Filled once per step.
static bool list_manifolds(rblStep* step)
{
    const size_t islands = step->islands.count;
    const size_t count = step->manifolds.count;
    if (!rbl_array_resize_amply(&step->subspace->island_manifolds, islands + 1 + count))
    {
        return false;
    }
    uint32_t* starts = step->subspace->island_manifolds.data;
    uint32_t* list = starts + islands + 1;
    for (size_t i = 0; i <= islands; ++i)
    {
        starts[i] = 0;
    }
    for (size_t m = 0; m < count; ++m)
    {
        starts[rbl_manifold_island(step, &step->manifolds.data[m]) + 1] += 1;
    }
    for (size_t i = 0; i < islands; ++i)
    {
        starts[i + 1] += starts[i];
    }
    for (size_t m = count; m-- > 0;)
    {
        list[--starts[rbl_manifold_island(step, &step->manifolds.data[m]) + 1]] = (uint32_t)m;
    }
    // The loop has moved each start to that of its island: shift them back.
    for (size_t i = 0; i < islands; ++i)
    {
        starts[i] = starts[i + 1];
    }
    starts[islands] = (uint32_t)count;
    return true;
}

static bool reserve(rblStep* step, rblSubspace* system)
{
    const size_t numbers = 3 * (size_t)RBL_SMALL_ISLAND;
    const size_t bodies = 6 * step->solver_bodies.count;
    if (!rbl_array_resize_amply(&step->subspace->vectors, 3 * numbers + bodies) ||
        !rbl_array_resize_amply(&step->subspace->free_flags, numbers) ||
        !rbl_array_resize_amply(&step->subspace->nodes, step->solver_bodies.count))
    {
        return false;
    }
    double* memory = step->subspace->vectors.data;
    *system = (rblSubspace){
        .step = step,
        .unknown = memory,
        .residual = memory + numbers,
        .before = memory + 2 * numbers,
        .motion = memory + 3 * numbers,
        .free = step->subspace->free_flags.data,
    };
    return true;
}

static bool is_at_rest(const rblStep* step, const rblIsland* island)
{
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblVec3 v = step->before_contacts.data[step->island_bodies.data[island->first + i]].velocity;
        if (!(rbl_dot3(v, v) < REST_SPEED * REST_SPEED))
        {
            return false;
        }
    }
    return true;
}

static bool is_worth_it(rblStep* step, rblIsland* island, uint32_t contacts, bool first)
{
    return contacts > 0 && contacts <= RBL_SMALL_ISLAND && (is_small(step) || is_at_rest(step, island)) &&
           !still_waits(step, island, first);
}

// Sweeps skip bundles whose lanes are all of idle islands.
static void find_idle_bundles(rblStep* step)
{
    for (size_t k = 0; k < step->bundles.count; ++k)
    {
        rblBundle* bundle = &step->bundles.data[k];
        bundle->idle = true;
        for (uint32_t i = 0; i < bundle->lanes && bundle->idle; ++i)
        {
            const rblManifold* manifold = &step->manifolds.data[bundle->manifold + i];
            bundle->idle = step->islands.data[rbl_manifold_island(step, manifold)].idle;
        }
    }
}

rblResult rbl_subspaces_solve(rblStep* step, uint32_t round, bool* solved)
{
    rblSubspace system;
    *solved = false;
    if (!list_manifolds(step) || !reserve(step, &system))
    {
        return rbl_fail_memory();
    }
    const uint32_t* starts = step->subspace->island_manifolds.data;
    const uint32_t* list = starts + step->islands.count + 1;
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        system.manifolds = list + starts[i];
        system.manifold_count = starts[i + 1] - starts[i];
        system.contacts = 0;
        for (uint32_t k = 0; k < system.manifold_count; ++k)
        {
            system.contacts += step->manifolds.data[system.manifolds[k]].count;
        }
        if (is_worth_it(step, &step->islands.data[i], system.contacts, round == 0))
        {
            RBL_TRY(solve_island(&system, &step->islands.data[i], round, solved));
        }
    }
    find_idle_bundles(step);
    return RBL_OK;
}
