#include "dynamics/subspace_system.h"

#include <string.h>

#define REFINEMENTS 3
#define SOFTNESS                                                                                             \
    1e-6 // of a contact's own compliance: four corners carry a box, and what each carries is up to this
#define MOST_UPDATES 12000 // of 6x6 blocks in the factors

bool rbl_subspace_walk(const rblSubspace* system, rblSubspaceWalk* walk)
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

static void clear_motion(const rblSubspace* system)
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

void rbl_subspace_push(const rblSubspace* system, const double* vector)
{
    const rblWorld* world = system->world;
    clear_motion(system);
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverBody* a = &world->solver_bodies.data[manifold->a];
        const rblSolverBody* b = &world->solver_bodies.data[manifold->b];
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        rblVec3 axes[3];
        rbl_contact_axes(contact, axes);
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
static void from_motion(const rblSubspace* system, double* out)
{
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        double on_a[3];
        double on_b[3];
        point_velocity(contact->arm_a, &system->motion[6 * (size_t)manifold->a], on_a);
        point_velocity(contact->arm_b, &system->motion[6 * (size_t)manifold->b], on_b);
        rblVec3 axes[3];
        rbl_contact_axes(contact, axes);
        for (uint32_t n = 0; n < 3; ++n)
        {
            const double along = (on_b[0] - on_a[0]) * (double)axes[n].x +
                                 (on_b[1] - on_a[1]) * (double)axes[n].y +
                                 (on_b[2] - on_a[2]) * (double)axes[n].z;
            out[at + n] = system->free[at + n] ? along : 0.0;
        }
    }
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

bool rbl_subspace_build(const rblSubspace* system, const rblIsland* island, bool* memory)
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

static void write_masses(const rblSubspace* system, const rblIsland* island)
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

static void factor(const rblSubspace* system, const rblIsland* island)
{
    rblWorld* world = system->world;
    rblBlockSystem* blocks = &world->subspace_blocks;
    rbl_blocks_zero(blocks);
    write_masses(system, island);
    const rblManifold* last = NULL;
    uint32_t edge = UINT32_MAX; // edges are in the order of manifolds between two bodies
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        const bool a = world->solver_bodies.data[walk.manifold->a].inverse_mass > 0.0f;
        const bool b = world->solver_bodies.data[walk.manifold->b].inverse_mass > 0.0f;
        edge += walk.manifold != last && a && b;
        last = walk.manifold;
        rblVec3 axes[3];
        rbl_contact_axes(walk.contact, axes);
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
static void write_right_side(const rblSubspace* system)
{
    rblWorld* world = system->world;
    rblBlockSystem* blocks = &world->subspace_blocks;
    for (size_t i = 0; i < blocks->vector.count; ++i)
    {
        blocks->vector.data[i] = 0.0;
    }
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        rblVec3 axes[3];
        rbl_contact_axes(walk.contact, axes);
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
static void refine(const rblSubspace* system, const rblIsland* island)
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
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
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

void rbl_subspace_solve(const rblSubspace* system, const rblIsland* island)
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
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        for (uint32_t n = 0; n < 3; ++n)
        {
            const uint32_t k = walk.at + n;
            system->unknown[k] -=
                system->free[k] ? REFINEMENTS * weight_of(walk.contact, n) * system->residual[k] : 0.0;
        }
    }
}
