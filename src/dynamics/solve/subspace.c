#include "dynamics/solve/subspace.h"

#include "dynamics/solve/island_rest.h"
#include "dynamics/solve/wide.h"
#include <math.h>

// ---- tuning ----

#define CLOSE_ENOUGH 1e-7  // m/s: smaller residuals count as zero
#define MAX_PASSES   4     // direct solves of an island in small worlds while contacts leave the active set
#define FAR_OUT      2.0f  // times the friction cone: farther out, no direct solve is tried
#define FEWER        4     // factor by which the number of clamped contacts must fall in each of these passes
#define MAX_GAIN     1.5   // times the energy without contacts: a larger gain is rejected
#define SLIGHT       1e-5  // of the energy by gravity in a step: a smaller residual needs no more rounds
#define MINUTE       1e-9  // of that energy: a smaller residual needs one direct solve only
#define STALE        0.25  // of the residual of the last round: a larger residual means no progress
#define SWEPT_PASSES 32    // direct solves of an island in larger worlds, with sweeps between them
#define SWEEPS       8     // sweeps after each of them
#define WINDOW       3     // passes in which the excess must fall to a half
#define SOLVED       1e-12 // of the energy by gravity in a step: an island with a smaller excess is solved
#define QUIET        1e-10 // of that energy: an island with a smaller excess needs no direct solve
#define FAINT        1e-7 // of that energy: after a direct solve of a smaller excess an island waits for some steps
#define LOST         1.0 // of that energy: a larger excess ends the passes
#define USEFUL       0.5 // of the excess before: an expensive direct solve that leaves more was in vain
#define WAIT         3 // steps without a direct solve after one of little use; with more, piles come to rest later
#define LONG_WAIT    63   // the same after an expensive one in vain
#define STILL        1e-4 // of the energy by gravity in a step: islands with less kinetic energy are still
#define MAX_UPDATES                                                                                          \
    12000u // updates of 6x6 blocks in the factors: islands that need more are solved directly only when still
#define STILL_UPDATES 64000u // still islands that need more are not solved directly
#define MAX_CONTACTS  4096u  // in islands that are not still; RBL_SMALL_ISLAND holds for all

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

static void set_wait(rblStep* step, const rblIsland* island, uint32_t steps)
{
    for (uint32_t i = 0; i < island->count; ++i)
    {
        body_of(step, island, i)->direct_wait = (uint8_t)steps;
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

static double kinetic_of(const rblStep* step, const rblIsland* island)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t index = step->island_bodies.data[island->first + i];
        const rblSolverBody* body = &step->solver_bodies.data[index];
        sum += energy_of(step, index, body->velocity, body->spin);
    }
    return sum;
}

// Kinetic energy of the island beyond that of the exact solution, J: the contact solve minimises
//   sum m v.v / 2 + w.I w / 2 - sum target J_n   over all impulses within the cones,   v and w those by the impulses.
// It shows motion that the sweeps hardly reduce, such as the sway of a wall, where the residual is small. Not used in small worlds.
static double excess_of(const rblSubspace* system, const rblIsland* island)
{
    double sum = kinetic_of(system->step, island);
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        sum -= (double)walk.contact->target * (double)walk.contact->normal_impulse;
    }
    return sum;
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

// Solve and clamp in turns, in small worlds, whose later rounds can correct a bad solve. Returns the residual.
static double solve_in_passes(const rblSubspace* system, const rblIsland* island, int passes)
{
    uint32_t last = system->contacts / 2;
    double after = 0.0;
    for (int pass = 0; pass < passes && (pass == 0 || has_misses(system)); ++pass)
    {
        rbl_subspace_solve(system, island);
        const uint32_t put_back = change_impulses(system);
        apply_unknown(system);
        after = rbl_subspace_residual(system);
        const uint32_t tolerable = last / FEWER > 1 ? last / FEWER : 1;
        if (put_back == 0 || put_back > tolerable)
        {
            break;
        }
        last = put_back;
    }
    return after;
}

// One Gauss-Seidel sweep over the contacts of the island.
static void sweep(const rblSubspace* system)
{
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        rblSolverBody* a = &system->step->solver_bodies.data[walk.manifold->a];
        rblSolverBody* b = &system->step->solver_bodies.data[walk.manifold->b];
        rbl_contact_solve(a, b, walk.contact, walk.manifold->friction);
    }
}

// Solve, clamp and sweep in turns, in larger worlds. A direct solve takes the island far along, and the sweeps correct which
// contacts are active: the passes of a wall converge, where those without sweeps alternate between sets. Returns the excess.
static double solve_with_sweeps(const rblSubspace* system, const rblIsland* island)
{
    const double fall = rbl_island_fall(system->step, island);
    double earlier[WINDOW];
    double excess = 0.0;
    for (int pass = 0; pass < SWEPT_PASSES && (pass == 0 || has_misses(system)); ++pass)
    {
        rbl_subspace_solve(system, island);
        (void)change_impulses(system);
        apply_unknown(system);
        for (int k = 0; k < SWEEPS; ++k)
        {
            sweep(system);
        }
        excess = excess_of(system, island);
        const bool vain = pass >= WINDOW && excess > 0.5 * earlier[pass % WINDOW];
        if (!(excess > SOLVED * fall && excess <= LOST * fall) || vain)
        {
            break;
        }
        earlier[pass % WINDOW] = excess;
    }
    return excess;
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

// Quiet islands need no direct solve. Large islands are solved directly only when they are still: it takes long, and in a pile that moves its error is not visible.
static bool is_left_to_sweeps(const rblSubspace* system, const rblIsland* island, double excess)
{
    const double fall = rbl_island_fall(system->step, island);
    return !is_small(system->step) &&
           (excess < QUIET * fall || (system->contacts > MAX_CONTACTS && excess > STILL * fall));
}

// Whether a direct solve is useful: active contacts have a residual, and it is smaller than that of the last round. Contacts that
// contradict each other, and active sets that alternate, keep the same residual in any number of rounds.
static bool is_due(const rblSubspace* system, const rblIsland* island, bool first, double left, double excess)
{
    if (!first)
    {
        const double before = island->left;
        const bool slight = left < SLIGHT * rbl_island_fall(system->step, island);
        if (!(left < (slight ? STALE : 1.0) * before))
        {
            return false;
        }
    }
    return !is_left_to_sweeps(system, island, excess) && has_misses(system);
}

// False: the result is worse than that of the sweeps, and leaves the island with more energy than it has without contacts.
static bool solve_small(const rblSubspace* system, const rblIsland* island, double left)
{
    const bool minute = left < MINUTE * rbl_island_fall(system->step, island);
    const double after = solve_in_passes(system, island, minute ? 1 : MAX_PASSES);
    return !(after > left && is_blown_up(system->step, island));
}

// False: the result is worse than that of the sweeps. After a solve of little use the island waits for some steps.
static bool solve_large(const rblSubspace* system, const rblIsland* island, double before)
{
    const double after = solve_with_sweeps(system, island);
    const bool expensive = rbl_subspace_updates(system) > MAX_UPDATES;
    const bool vain = !(after < (expensive ? USEFUL : 1.0) * before);
    const bool faint = before < FAINT * rbl_island_fall(system->step, island);
    set_wait(system->step, island, vain && expensive ? LONG_WAIT : vain || faint ? WAIT : 0);
    return after <= before;
}

static rblResult solve_directly(rblSubspace* system, const rblIsland* island, double left, double excess,
                                bool* solved)
{
    rblStep* step = system->step;
    bool memory = true;
    const bool still = !is_small(step) && excess < STILL * rbl_island_fall(step, island);
    if (!rbl_subspace_build(system, island, still ? STILL_UPDATES : MAX_UPDATES, &memory))
    {
        return memory ? RBL_OK : rbl_fail_memory();
    }
    if (!rbl_subspace_write_rows(system))
    {
        return rbl_fail_memory();
    }
    keep_impulses(system);
    const bool better =
        is_small(step) ? solve_small(system, island, left) : solve_large(system, island, excess);
    if (!better)
    {
        take_back(system);
    }
    *solved = *solved || better;
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_impulses_repack(step, &step->manifolds.data[system->manifolds[k]]);
    }
    return RBL_OK;
}

static rblResult solve_island(rblSubspace* system, rblIsland* island, uint32_t round, bool* solved)
{
    rblStep* step = system->step;
    rbl_subspace_unpack(system);
    const double left = rbl_subspace_residual(system);
    const bool jointed = has_joints(step, island);
    const double excess = is_small(step) ? 0.0 : excess_of(system, island);
    const bool due = is_due(system, island, round == 0 || jointed, left, excess);
    island->left = left;
    island->idle = !due && !jointed;
    if (due)
    {
        return solve_directly(system, island, left, excess, solved);
    }
    *solved = *solved || (jointed && is_small(step));
    return RBL_OK;
}

// ---- all islands ----

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

// Of large islands the kinetic energy tells more cheaply than the excess that they are not still.
static bool is_slow(const rblSubspace* system, const rblIsland* island)
{
    const rblStep* step = system->step;
    return is_small(step) || (rbl_island_is_at_rest(step, island) &&
                              (system->contacts <= MAX_CONTACTS ||
                               kinetic_of(step, island) < STILL * rbl_island_fall(step, island)));
}

static bool is_worth_it(const rblSubspace* system, rblIsland* island, bool first)
{
    return system->contacts > 0 && system->contacts <= RBL_SMALL_ISLAND && is_slow(system, island) &&
           !still_waits(system->step, island, first);
}

rblResult rbl_subspaces_solve(rblStep* step, uint32_t round, bool* solved)
{
    rblSubspace system;
    *solved = false;
    if (!rbl_island_manifolds_list(step) || !reserve(step, &system))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        rbl_subspace_choose(&system, (uint32_t)i);
        if (is_worth_it(&system, &step->islands.data[i], round == 0))
        {
            RBL_TRY(solve_island(&system, &step->islands.data[i], round, solved));
        }
    }
    rbl_idle_bundles_find(step);
    return RBL_OK;
}
