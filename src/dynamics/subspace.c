#include "dynamics/subspace.h"

#include "dynamics/contact_math.h"
#include "dynamics/wide.h"
#include <math.h>
#include <string.h>

#define CLOSE_ENOUGH 1e-7 // m/s: residual at which conjugate gradients stop
#define MOST_STEPS   600
#define MOST_WORK    20000 // steps times contacts
#define GIVE_UP      1e6

// One island's system. Vectors have three numbers per contact (normal, two tangents), bodies six.
typedef struct System
{
    rblWorld* world;
    const uint32_t* manifolds; // of the island
    uint32_t manifold_count;
    uint32_t contacts;
    double* unknown;  // change of the impulses
    double* residual; // wanted minus actual velocities
    double* direction;
    double* image;       // A direction
    double* scaled;      // residual times the inverse diagonal
    double* best;        // unknown with the smallest residual so far
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

// ---- conjugate gradients ----

static double dot(const double* a, const double* b, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += a[i] * b[i];
    }
    return sum;
}

static double largest_of(const double* values, uint32_t count)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        largest = rbl_maxd(largest, fabs(values[i]));
    }
    return largest;
}

// The inverse diagonal of A, by contact.
static void scale_residual(const System* system)
{
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        system->scaled[at] = (double)contact->normal_mass * system->residual[at];
        system->scaled[at + 1] = (double)contact->tangent_mass[3] * system->residual[at + 1];
        system->scaled[at + 2] = (double)contact->tangent_mass[3] * system->residual[at + 2];
    }
}

// A unknown = residual. A has a null space (four corners carry a box). When the right side does not quite lie in its range
// the steps find all that can be found and then begin to grow: the best so far is kept.
static void solve(const System* system)
{
    const uint32_t count = 3 * system->contacts;
    double smallest = INFINITY;
    scale_residual(system);
    for (uint32_t i = 0; i < count; ++i)
    {
        system->unknown[i] = 0.0;
        system->best[i] = 0.0;
        system->direction[i] = system->scaled[i];
    }
    double power = dot(system->residual, system->scaled, count);
    const uint32_t affordable = MOST_WORK / system->contacts + 1;
    const uint32_t most = affordable < MOST_STEPS ? affordable : MOST_STEPS;
    for (uint32_t step = 0; step < most && power > 0.0; ++step)
    {
        to_motion(system, system->direction);
        from_motion(system, system->image);
        const double curvature = dot(system->direction, system->image, count);
        if (!(curvature > 0.0))
        {
            break;
        }
        const double length = power / curvature;
        for (uint32_t i = 0; i < count; ++i)
        {
            system->unknown[i] += length * system->direction[i];
            system->residual[i] -= length * system->image[i];
        }
        scale_residual(system);
        const double next = dot(system->residual, system->scaled, count);
        if (next < smallest)
        {
            smallest = next;
            memcpy(system->best, system->unknown, sizeof(double) * count);
        }
        if (largest_of(system->residual, count) < CLOSE_ENOUGH || next > GIVE_UP * smallest)
        {
            break;
        }
        const double ratio = next / power;
        power = next;
        for (uint32_t i = 0; i < count; ++i)
        {
            system->direction[i] = system->scaled[i] + ratio * system->direction[i];
        }
    }
    memcpy(system->unknown, system->best, sizeof(double) * count);
}

// ---- one island ----

// How far along the unknown all impulses stay in their cones: all of the way, or to where the first one leaves.
static double feasible_share(const System* system)
{
    double share = 1.0;
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        const rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        const double change = system->unknown[at];
        if ((double)contact->push + change < 0.0)
        {
            share = rbl_mind(share, -(double)contact->push / change);
        }
    }
    return share;
}

static void apply_unknown(const System* system, double share)
{
    rblWorld* world = system->world;
    for (Walk walk = {0}; walk_on(system, &walk);)
    {
        rblSolverContact* contact = walk.contact;
        const uint32_t at = walk.at;
        contact->push = rbl_maxf(contact->push + (float)(share * system->unknown[at]), 0.0f);
        contact->slide[0] += (float)(share * system->unknown[at + 1]);
        contact->slide[1] += (float)(share * system->unknown[at + 2]);
    }
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
                const rblVec3d velocity = {share * motion[0], share * motion[1], share * motion[2]};
                const rblVec3d spin = {share * motion[3], share * motion[4], share * motion[5]};
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

static void solve_island(const System* system)
{
    rblWorld* world = system->world;
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_unpack_manifold(world, &world->manifolds.data[system->manifolds[k]]);
    }
    if (find_free(system) == 0 || !(find_residual(system) > CLOSE_ENOUGH))
    {
        return;
    }
    solve(system);
    apply_unknown(system, feasible_share(system));
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_repack_impulses(world, &world->manifolds.data[system->manifolds[k]]);
    }
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
    if (!rbl_array_resize_amply(&world->subspace, 6 * numbers + bodies) ||
        !rbl_array_resize_amply(&world->free_flags, numbers))
    {
        return false;
    }
    double* memory = world->subspace.data;
    *system = (System){
        .world = world,
        .unknown = memory,
        .residual = memory + numbers,
        .direction = memory + 2 * numbers,
        .image = memory + 3 * numbers,
        .scaled = memory + 4 * numbers,
        .best = memory + 5 * numbers,
        .motion = memory + 6 * numbers,
        .free = world->free_flags.data,
    };
    return true;
}

rblResult rbl_solve_subspaces(rblWorld* world)
{
    System system;
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
        if (system.contacts > 0 && system.contacts <= RBL_SMALL_ISLAND)
        {
            solve_island(&system);
        }
    }
    return RBL_OK;
}
