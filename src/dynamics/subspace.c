#include "dynamics/subspace.h"

#include "dynamics/contact_math.h"
#include "dynamics/wide.h"
#include <math.h>
#include <string.h>

#define CLOSE_ENOUGH 1e-7 // m/s: residual that is as good as none
#define MOST_PASSES  4    // solves while contacts are put back
#define REFINEMENTS  3
#define SOFTNESS                                                                                             \
    1e-6 // of a contact's own compliance: four corners carry a box, and what each carries is up to this
#define CALM         0.5f  // m/s: slower bodies are at rest, more or less
#define MOST_UPDATES 12000 // of 6x6 blocks in the factors

// One island's system. Vectors have three numbers per contact (normal, two tangents), bodies six.
typedef struct System
{
    rblWorld* world;
    const uint32_t* manifolds; // of the island
    uint32_t manifold_count;
    uint32_t contacts;
    double* unknown;     // change of the impulses
    double* residual;    // wanted minus actual velocities
    double* image;       // what the motions do to them
    double* before;      // impulses of the sweeps
    unsigned char* free; // per number: may change
    double* motion;      // per solver body: velocity and spin that impulses give it
} System;

// One contact of the island after the other.
typedef struct Walk
{
    uint32_t next_manifold, next_contact;
    const rblManifold* manifold;
    rblSolverContact* contact;
    uint32_t at; // of its first number in the vectors
    bool begun;
} Walk;

static bool walk_on(const System* system, Walk* walk)
{
    rblWorld* world = system->world;
    while (walk->manifold == NULL || walk->next_contact == walk->manifold->count)
    {
        if (walk->next_manifold == system->manifold_count)
        {
            return false;
        }
        walk->manifold = &world->manifolds.data[system->manifolds[walk->next_manifold++]];
        walk->next_contact = 0;
    }
    walk->contact = &world->solver_contacts.data[walk->manifold->first + walk->next_contact++];
    walk->at = walk->begun ? walk->at + 3 : 0;
    walk->begun = true;
    return true;
}

// ---- impulses to motions and back ----

static void clear_motion(const System* system)
{
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        const rblManifold* manifold = &system->world->manifolds.data[system->manifolds[k]];
        for (int i = 0; i < 6; ++i)
        {
            system->motion[6 * manifold->a + (uint32_t)i] = 0.0;
            system->motion[6 * manifold->b + (uint32_t)i] = 0.0;
        }
    }
}

static void push_body(const rblSolverBody* body, rblVec3 arm, const double impulse[3], double sign,
                      double* motion)
{
    if (!(body->inverse_mass > 0.0f))
    {
        return;
    }
    const rblSymmetric3* inverse = &body->inverse_inertia;
    const double x = (double)arm.y * impulse[2] - (double)arm.z * impulse[1];
    const double y = (double)arm.z * impulse[0] - (double)arm.x * impulse[2];
    const double z = (double)arm.x * impulse[1] - (double)arm.y * impulse[0];
    for (int i = 0; i < 3; ++i)
    {
        motion[i] += sign * (double)body->inverse_mass * impulse[i];
    }
    motion[3] += sign * ((double)inverse->xx * x + (double)inverse->xy * y + (double)inverse->xz * z);
    motion[4] += sign * ((double)inverse->xy * x + (double)inverse->yy * y + (double)inverse->yz * z);
    motion[5] += sign * ((double)inverse->xz * x + (double)inverse->yz * y + (double)inverse->zz * z);
}

static void point_velocity(rblVec3 arm, const double* motion, double out[3])
{
    out[0] = motion[0] + motion[4] * (double)arm.z - motion[5] * (double)arm.y;
    out[1] = motion[1] + motion[5] * (double)arm.x - motion[3] * (double)arm.z;
    out[2] = motion[2] + motion[3] * (double)arm.y - motion[4] * (double)arm.x;
}

static void contact_axes(const rblSolverContact* contact, rblVec3 axes[3])
{
    axes[0] = contact->normal;
    axes[1] = contact->tangent;
    axes[2] = rbl_contact_tangent2(contact);
}

// motion = M^-1 J^T vector.
static void to_motion(const System* system, const double* vector)
{
    const rblWorld* world = system->world;
    clear_motion(system);
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverBody* a = &world->solver_bodies.data[manifold->a];
        const rblSolverBody* b = &world->solver_bodies.data[manifold->b];
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        rblVec3 axes[3];
        contact_axes(contact, axes);
        double impulse[3] = {0.0, 0.0, 0.0};
        for (uint32_t n = 0; n < 3; ++n)
        {
            impulse[0] += vector[at + n] * (double)axes[n].x;
            impulse[1] += vector[at + n] * (double)axes[n].y;
            impulse[2] += vector[at + n] * (double)axes[n].z;
        }
        push_body(a, contact->arm_a, impulse, -1.0, &system->motion[6 * (size_t)manifold->a]);
        push_body(b, contact->arm_b, impulse, 1.0, &system->motion[6 * (size_t)manifold->b]);
    }
}

// out = J motion, zero where nothing is free.
static void from_motion(const System* system, double* out)
{
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        double on_a[3];
        double on_b[3];
        point_velocity(contact->arm_a, &system->motion[6 * (size_t)manifold->a], on_a);
        point_velocity(contact->arm_b, &system->motion[6 * (size_t)manifold->b], on_b);
        rblVec3 axes[3];
        contact_axes(contact, axes);
        for (uint32_t n = 0; n < 3; ++n)
        {
            const double along = (on_b[0] - on_a[0]) * (double)axes[n].x +
                                 (on_b[1] - on_a[1]) * (double)axes[n].y +
                                 (on_b[2] - on_a[2]) * (double)axes[n].z;
            out[at + n] = system->free[at + n] ? along : 0.0;
        }
    }
}

// ---- what is free ----

// Contacts that push hold their normal velocity; those well inside their cones hold all of it.
static uint32_t find_free(const System* system)
{
    uint32_t count = 0;
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        const bool holds = contact->push > 0.0f;
        const float limit = 0.999f * manifold->friction * contact->push;
        const float square = contact->slide[0] * contact->slide[0] + contact->slide[1] * contact->slide[1];
        const bool sticks = holds && square < limit * limit;
        system->free[at] = holds;
        system->free[at + 1] = sticks;
        system->free[at + 2] = sticks;
        count += (holds ? 1u : 0u) + (sticks ? 2u : 0u);
    }
    return count;
}

static double find_residual(const System* system)
{
    const rblWorld* world = system->world;
    double largest = 0.0;
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverBody* a = &world->solver_bodies.data[manifold->a];
        const rblSolverBody* b = &world->solver_bodies.data[manifold->b];
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
        rblVec3 axes[3];
        contact_axes(contact, axes);
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

// ---- the direct solve ----

// With rows G of the contacts that hold, softness c and misses r, the change of velocities that costs least is
//   (M + G^T G / c) dv = G^T r / c ,   and the impulses are   (r - G dv) / c .
// Unknowns are those of bodies, six each, coupled where they touch: dense only where the contacts are.

static double weight_of(const rblSolverContact* contact, uint32_t number)
{
    const float mass = number == 0 ? contact->normal_mass : contact->tangent_mass[3];
    return (double)mass / SOFTNESS;
}

// Bodies of the island and who touches whom. True when it is worth it.
static bool build(const System* system, const rblIsland* island, bool* memory)
{
    rblWorld* world = system->world;
    rblBlockSystem* blocks = &world->subspace_blocks;
    rbl_blocks_clear(blocks);
    *memory = true;
    for (uint32_t i = 0; i < island->count && *memory; ++i)
    {
        world->subspace_nodes.data[world->island_bodies.data[island->first + i]] = i;
        *memory = rbl_blocks_add(blocks, 6, false);
    }
    for (uint32_t k = 0; k < system->manifold_count && *memory; ++k)
    {
        const rblManifold* manifold = &world->manifolds.data[system->manifolds[k]];
        const bool both = world->solver_bodies.data[manifold->a].inverse_mass > 0.0f &&
                          world->solver_bodies.data[manifold->b].inverse_mass > 0.0f;
        if (both)
        {
            *memory = rbl_blocks_join(blocks, world->subspace_nodes.data[manifold->a],
                                      world->subspace_nodes.data[manifold->b]);
        }
    }
    *memory = *memory && rbl_blocks_order(blocks, MOST_UPDATES);
    return *memory && blocks->pivots.count > 0;
}

// Rows of one contact that hold, for one of its bodies: axis and arm x axis.
static void row_of(rblVec3 axis, rblVec3 arm, double out[6])
{
    const rblVec3d n = rbl_to_double3(axis);
    const rblVec3d turn = rbl_cross3d(rbl_to_double3(arm), n);
    const double values[6] = {n.x, n.y, n.z, turn.x, turn.y, turn.z};
    memcpy(out, values, sizeof values);
}

// block += scale left right^T.
static void add_product(double* block, double scale, const double left[6], const double right[6])
{
    for (uint32_t r = 0; r < 6; ++r)
    {
        for (uint32_t c = 0; c < 6; ++c)
        {
            block[RBL_BLOCK * r + c] += scale * left[r] * right[c];
        }
    }
}

static void write_masses(const System* system, const rblIsland* island)
{
    rblWorld* world = system->world;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblSolverBody* body = &world->solver_bodies.data[world->island_bodies.data[island->first + i]];
        const rblSymmetric3 inertia = rbl_symmetric3_inverse(body->inverse_inertia);
        double* block = rbl_blocks_of_node(&world->subspace_blocks, i);
        for (uint32_t k = 0; k < 3; ++k)
        {
            block[RBL_BLOCK * k + k] = 1.0 / (double)body->inverse_mass;
        }
        block[RBL_BLOCK * 3 + 3] = (double)inertia.xx;
        block[RBL_BLOCK * 4 + 4] = (double)inertia.yy;
        block[RBL_BLOCK * 5 + 5] = (double)inertia.zz;
        block[RBL_BLOCK * 4 + 3] = (double)inertia.xy;
        block[RBL_BLOCK * 5 + 3] = (double)inertia.xz;
        block[RBL_BLOCK * 5 + 4] = (double)inertia.yz;
    }
}

static void factor(const System* system, const rblIsland* island)
{
    rblWorld* world = system->world;
    rblBlockSystem* blocks = &world->subspace_blocks;
    rbl_blocks_zero(blocks);
    write_masses(system, island);
    const rblManifold* last = NULL;
    uint32_t edge = UINT32_MAX; // edges are in the order of manifolds between two bodies
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        const bool a = world->solver_bodies.data[walk.manifold->a].inverse_mass > 0.0f;
        const bool b = world->solver_bodies.data[walk.manifold->b].inverse_mass > 0.0f;
        edge += walk.manifold != last && a && b;
        last = walk.manifold;
        rblVec3 axes[3];
        contact_axes(walk.contact, axes);
        for (uint32_t n = 0; n < 3; ++n)
        {
            if (!system->free[walk.at + n])
            {
                continue;
            }
            double row_a[6];
            double row_b[6];
            const double weight = weight_of(walk.contact, n);
            row_of(axes[n], walk.contact->arm_a, row_a);
            row_of(axes[n], walk.contact->arm_b, row_b);
            if (a)
            {
                const uint32_t node = world->subspace_nodes.data[walk.manifold->a];
                add_product(rbl_blocks_of_node(blocks, node), weight, row_a, row_a);
            }
            if (b)
            {
                const uint32_t node = world->subspace_nodes.data[walk.manifold->b];
                add_product(rbl_blocks_of_node(blocks, node), weight, row_b, row_b);
            }
            if (a && b)
            {
                add_product(rbl_blocks_of_edge(blocks, edge), -weight, row_a, row_b);
            }
        }
    }
    rbl_blocks_factor(blocks);
}

// G^T r / c for the bodies.
static void write_right_side(const System* system)
{
    rblWorld* world = system->world;
    rblBlockSystem* blocks = &world->subspace_blocks;
    for (size_t i = 0; i < blocks->vector.count; ++i)
    {
        blocks->vector.data[i] = 0.0;
    }
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        rblVec3 axes[3];
        contact_axes(walk.contact, axes);
        const uint32_t bodies[2] = {walk.manifold->a, walk.manifold->b};
        for (int side = 0; side < 2; ++side)
        {
            if (!(world->solver_bodies.data[bodies[side]].inverse_mass > 0.0f))
            {
                continue;
            }
            double* to = &blocks->vector.data[RBL_BLOCK * (size_t)world->subspace_nodes.data[bodies[side]]];
            for (uint32_t n = 0; n < 3; ++n)
            {
                double row[6];
                const double scale = weight_of(walk.contact, n) * system->residual[walk.at + n];
                row_of(axes[n], side == 0 ? walk.contact->arm_a : walk.contact->arm_b, row);
                for (uint32_t k = 0; k < 6; ++k)
                {
                    to[k] += (side == 0 ? -scale : scale) * row[k];
                }
            }
        }
    }
}

// One solve: motions from the misses, impulses from what they leave, and what is still missing then.
static void refine(const System* system, const rblIsland* island)
{
    rblWorld* world = system->world;
    write_right_side(system);
    rbl_blocks_solve(&world->subspace_blocks);
    clear_motion(system);
    for (uint32_t i = 0; i < island->count; ++i)
    {
        memcpy(&system->motion[6 * (size_t)world->island_bodies.data[island->first + i]],
               &world->subspace_blocks.vector.data[RBL_BLOCK * (size_t)i], 6 * sizeof(double));
    }
    from_motion(system, system->image);
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        for (uint32_t n = 0; n < 3; ++n)
        {
            const uint32_t k = walk.at + n;
            if (system->free[k])
            {
                system->residual[k] -= system->image[k];
                system->unknown[k] += weight_of(walk.contact, n) * system->residual[k];
            }
        }
    }
}

static void solve(const System* system, const rblIsland* island)
{
    factor(system, island);
    for (uint32_t i = 0; i < 3 * system->contacts; ++i)
    {
        system->unknown[i] = 0.0;
    }
    for (int i = 0; i < REFINEMENTS; ++i)
    {
        refine(system, island);
    }
    // What contacts ask for that no motion can do, since it contradicts itself, is what is left: it went into the impulses as
    // often as they were refined, over the softness, and has no business there.
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        for (uint32_t n = 0; n < 3; ++n)
        {
            const uint32_t k = walk.at + n;
            system->unknown[k] -=
                system->free[k] ? REFINEMENTS * weight_of(walk.contact, n) * system->residual[k] : 0.0;
        }
    }
}

// ---- one island ----

// Change the impulses, but not out of their cones. Returns how many would have gone there.
static uint32_t change_impulses(const System* system)
{
    uint32_t put_back = 0;
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        rblSolverContact* contact = walk.contact;
        double* change = &system->unknown[walk.at];
        const rblVec3d old = {(double)contact->push, (double)contact->slide[0], (double)contact->slide[1]};
        const double push = rbl_maxd(old.x + change[0], 0.0);
        double x = old.y + change[1];
        double y = old.z + change[2];
        const double limit = (double)walk.manifold->friction * push;
        const double size = sqrt(x * x + y * y);
        if (size > limit)
        {
            x *= limit / size;
            y *= limit / size;
        }
        put_back += (old.x + change[0] < 0.0 || (size > limit && system->free[walk.at + 1])) ? 1u : 0u;
        contact->push = (float)push;
        contact->slide[0] = (float)x;
        contact->slide[1] = (float)y;
        change[0] = push - old.x;
        change[1] = x - old.y;
        change[2] = y - old.z;
    }
    return put_back;
}

static void apply_unknown(const System* system)
{
    rblWorld* world = system->world;
    to_motion(system, system->unknown);
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        const rblManifold* manifold = &world->manifolds.data[system->manifolds[k]];
        const uint32_t indices[2] = {manifold->a, manifold->b};
        for (int s = 0; s < 2; ++s)
        {
            rblSolverBody* body = &world->solver_bodies.data[indices[s]];
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

// What one more step at each contact, by itself, would change: J. Zero where all is solved.
static double remainder_of(const System* system)
{
    double sum = 0.0;
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        rblSolverBody a = system->world->solver_bodies.data[walk.manifold->a];
        rblSolverBody b = system->world->solver_bodies.data[walk.manifold->b];
        rblSolverContact contact = *walk.contact;
        rbl_solve_contact(&a, &b, &contact, walk.manifold->friction);
        const double push = (double)contact.change[0];
        const double x = (double)contact.change[1];
        const double y = (double)contact.change[2];
        sum += push * push / (double)contact.normal_mass + (x * x + y * y) / (double)contact.tangent_mass[3];
    }
    return sum;
}

static void keep_impulses(const System* system)
{
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        system->before[walk.at] = (double)walk.contact->push;
        system->before[walk.at + 1] = (double)walk.contact->slide[0];
        system->before[walk.at + 2] = (double)walk.contact->slide[1];
    }
}

static void take_back(const System* system)
{
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        rblSolverContact* contact = walk.contact;
        const double* before = &system->before[walk.at];
        system->unknown[walk.at] = before[0] - (double)contact->push;
        system->unknown[walk.at + 1] = before[1] - (double)contact->slide[0];
        system->unknown[walk.at + 2] = before[2] - (double)contact->slide[1];
        contact->push = (float)before[0];
        contact->slide[0] = (float)before[1];
        contact->slide[1] = (float)before[2];
    }
    apply_unknown(system);
}

// Where many contacts slide, those that are put back may leave the rest worse than the sweeps did: then it was in vain.
static rblResult solve_island(const System* system, const rblIsland* island, bool* solved)
{
    rblWorld* world = system->world;
    bool memory = true;
    if (!build(system, island, &memory))
    {
        return memory ? RBL_OK : rbl_fail_memory();
    }
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_unpack_manifold(world, &world->manifolds.data[system->manifolds[k]]);
    }
    keep_impulses(system);
    const bool small = world->solver_contacts.count <= RBL_SMALL_WORLD; // rounds enough to mend it
    const double before = small ? 0.0 : remainder_of(system);
    for (int pass = 0; pass < MOST_PASSES; ++pass)
    {
        if (find_free(system) == 0 || !(find_residual(system) > CLOSE_ENOUGH))
        {
            break;
        }
        solve(system, island);
        const uint32_t put_back = change_impulses(system);
        apply_unknown(system);
        if (put_back == 0)
        {
            break;
        }
    }
    const bool better = small || remainder_of(system) < before;
    if (!better)
    {
        take_back(system);
    }
    *solved = *solved || better;
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_repack_impulses(world, &world->manifolds.data[system->manifolds[k]]);
    }
    return RBL_OK;
}

// ---- all islands ----

static uint32_t manifold_island(const rblWorld* world, const rblManifold* manifold)
{
    const uint32_t a = world->solver_bodies.data[manifold->a].island;
    return a != RBL_NONE ? a : world->solver_bodies.data[manifold->b].island;
}

// Manifolds by island: starts, then the list. Filled once a step.
static bool list_manifolds(rblWorld* world)
{
    const size_t islands = world->islands.count;
    const size_t count = world->manifolds.count;
    if (!rbl_array_resize_amply(&world->island_manifolds, islands + 1 + count))
    {
        return false;
    }
    uint32_t* starts = world->island_manifolds.data;
    uint32_t* list = starts + islands + 1;
    for (size_t i = 0; i <= islands; ++i)
    {
        starts[i] = 0;
    }
    for (size_t m = 0; m < count; ++m)
    {
        starts[manifold_island(world, &world->manifolds.data[m]) + 1] += 1;
    }
    for (size_t i = 0; i < islands; ++i)
    {
        starts[i + 1] += starts[i];
    }
    for (size_t m = count; m-- > 0;)
    {
        list[--starts[manifold_island(world, &world->manifolds.data[m]) + 1]] = (uint32_t)m;
    }
    // Each start has moved down to its island's first: shift them back into place.
    for (size_t i = 0; i < islands; ++i)
    {
        starts[i] = starts[i + 1];
    }
    starts[islands] = (uint32_t)count;
    return true;
}

static bool reserve(rblWorld* world, System* system)
{
    const size_t numbers = 3 * (size_t)RBL_SMALL_ISLAND;
    const size_t bodies = 6 * world->solver_bodies.count;
    if (!rbl_array_resize_amply(&world->subspace, 4 * numbers + bodies) ||
        !rbl_array_resize_amply(&world->free_flags, numbers) ||
        !rbl_array_resize_amply(&world->subspace_nodes, world->solver_bodies.count))
    {
        return false;
    }
    double* memory = world->subspace.data;
    *system = (System){
        .world = world,
        .unknown = memory,
        .residual = memory + numbers,
        .image = memory + 2 * numbers,
        .before = memory + 3 * numbers,
        .motion = memory + 4 * numbers,
        .free = world->free_flags.data,
    };
    return true;
}

static bool is_worth_it(const rblWorld* world, const rblIsland* island, uint32_t contacts)
{
    if (contacts == 0 || contacts > RBL_SMALL_ISLAND || world->solver_contacts.count <= RBL_SMALL_WORLD)
    {
        return contacts > 0 && contacts <= RBL_SMALL_ISLAND;
    }
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblVec3 v = world->before_contacts.data[world->island_bodies.data[island->first + i]].velocity;
        if (!(rbl_dot3(v, v) < CALM * CALM))
        {
            return false;
        }
    }
    return true;
}

rblResult rbl_solve_subspaces(rblWorld* world, bool* solved)
{
    System system;
    *solved = false;
    if (!list_manifolds(world) || !reserve(world, &system))
    {
        return rbl_fail_memory();
    }
    const uint32_t* starts = world->island_manifolds.data;
    const uint32_t* list = starts + world->islands.count + 1;
    for (size_t i = 0; i < world->islands.count; ++i)
    {
        system.manifolds = list + starts[i];
        system.manifold_count = starts[i + 1] - starts[i];
        system.contacts = 0;
        for (uint32_t k = 0; k < system.manifold_count; ++k)
        {
            system.contacts += world->manifolds.data[system.manifolds[k]].count;
        }
        if (is_worth_it(world, &world->islands.data[i], system.contacts))
        {
            RBL_TRY(solve_island(&system, &world->islands.data[i], solved));
        }
    }
    return RBL_OK;
}
