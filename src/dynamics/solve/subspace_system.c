#include "dynamics/solve/subspace_system.h"

#include "dynamics/stage_memory.h"
#include <string.h>

#define ARRAYS(X) X(island_manifolds) X(vectors) X(nodes) X(free_flags) X(rows)

rblSubspaceStage* rbl_subspace_stage_create(const rblAllocator* allocator)
{
    rblSubspaceStage* stage = rbl_alloc_zero(allocator, sizeof *stage);
    if (stage != NULL)
    {
        ARRAYS(RBL_STAGE_INIT_ARRAY)
        rbl_blocks_init(&stage->blocks, allocator);
    }
    return stage;
}

void rbl_subspace_stage_destroy(rblSubspaceStage* stage, const rblAllocator* allocator)
{
    if (stage != NULL)
    {
        ARRAYS(RBL_STAGE_FREE_ARRAY)
        rbl_blocks_free(&stage->blocks);
    }
    rbl_free(allocator, stage, sizeof *stage);
}

// ---- tuning ----
#define REFINEMENTS 3    // iterations of refinement after a direct solve
#define SOFTNESS    1e-6 // of the compliance of a contact: makes redundant systems regular

// ---- impulses to motions and back ----

static void clear_motion(const rblSubspace* system)
{
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        const rblManifold* manifold = &system->step->manifolds.data[system->manifolds[k]];
        for (int i = 0; i < 6; ++i)
        {
            system->motion[6 * manifold->a + (uint32_t)i] = 0.0;
            system->motion[6 * manifold->b + (uint32_t)i] = 0.0;
        }
    }
}

static void apply_impulse(const rblSolverBody* body, rblVec3 arm, const double impulse[3], double sign,
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

void rbl_subspace_apply(const rblSubspace* system, const double* vector)
{
    const rblStep* step = system->step;
    clear_motion(system);
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        const rblManifold* manifold = walk.manifold;
        const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
        const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
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
        apply_impulse(a, contact->arm_a, impulse, -1.0, &system->motion[6 * (size_t)manifold->a]);
        apply_impulse(b, contact->arm_b, impulse, 1.0, &system->motion[6 * (size_t)manifold->b]);
    }
}

// ---- the direct solve ----

// With rows G of the active contacts, softness c and residuals r, the change of velocities of least energy is
//   (M + G^T G / c) dv = G^T r / c ,   and the impulses are   (r - G dv) / c .
// The unknowns are the six velocities of each body. The matrix has a block for each pair that touches.

static double weight_of(const rblSolverContact* contact, uint32_t number)
{
    const float mass = number == 0 ? contact->normal_mass : contact->tangent_mass[3];
    return (double)mass / SOFTNESS;
}

// Nodes of the two bodies of a manifold in the system; RBL_NONE for bodies of infinite mass.
typedef struct Nodes
{
    uint32_t a, b;
} Nodes;

static Nodes nodes_of(const rblStep* step, const rblManifold* manifold)
{
    const bool a = step->solver_bodies.data[manifold->a].inverse_mass > 0.0f;
    const bool b = step->solver_bodies.data[manifold->b].inverse_mass > 0.0f;
    return (Nodes){a ? step->subspace->nodes.data[manifold->a] : RBL_NONE,
                   b ? step->subspace->nodes.data[manifold->b] : RBL_NONE};
}

// Whether the stored order of pivots fits: the same number of bodies with the same edges. A pile at rest has the same system in
// every round and step.
static bool is_known(const rblSubspace* system, const rblIsland* island, size_t updates)
{
    const rblStep* step = system->step;
    const rblBlockSystem* blocks = &step->subspace->blocks;
    uint32_t edge = 0;
    bool same = blocks->nodes.count == island->count && step->subspace->most_updates == updates;
    for (uint32_t k = 0; k < system->manifold_count && same; ++k)
    {
        const Nodes nodes = nodes_of(step, &step->manifolds.data[system->manifolds[k]]);
        if (nodes.a != RBL_NONE && nodes.b != RBL_NONE)
        {
            same = edge < step->subspace->edges && blocks->edges.data[edge].ends[0] == nodes.a &&
                   blocks->edges.data[edge].ends[1] == nodes.b;
            edge += 1;
        }
    }
    return same && edge == step->subspace->edges;
}

bool rbl_subspace_build(const rblSubspace* system, const rblIsland* island, size_t updates, bool* memory)
{
    rblStep* step = system->step;
    rblBlockSystem* blocks = &step->subspace->blocks;
    *memory = true;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        step->subspace->nodes.data[step->island_bodies.data[island->first + i]] = i;
    }
    if (is_known(system, island, updates))
    {
        return blocks->pivots.count > 0;
    }
    rbl_blocks_clear(blocks);
    step->subspace->most_updates = updates;
    // The order of pivots adds edges by fill-in; a later step may need more.
    *memory = rbl_blocks_reserve(blocks, island->count, 4 * (size_t)system->manifold_count);
    for (uint32_t i = 0; i < island->count && *memory; ++i)
    {
        *memory = rbl_blocks_add(blocks, 6, false);
    }
    for (uint32_t k = 0; k < system->manifold_count && *memory; ++k)
    {
        const Nodes nodes = nodes_of(step, &step->manifolds.data[system->manifolds[k]]);
        if (nodes.a != RBL_NONE && nodes.b != RBL_NONE)
        {
            *memory = rbl_blocks_join(blocks, nodes.a, nodes.b);
        }
    }
    step->subspace->edges = (uint32_t)blocks->edges.count;
    *memory = *memory && rbl_blocks_order(blocks, updates);
    if (!*memory)
    {
        rbl_blocks_clear(blocks); // an incomplete order is useless
    }
    return *memory && blocks->pivots.count > 0;
}

size_t rbl_subspace_updates(const rblSubspace* system)
{
    return system->step->subspace->blocks.updates.count;
}

static void write_row(rblVec3 axis, rblVec3 arm, double sign, double out[6])
{
    const rblVec3d n = rbl_to_double3(axis);
    const rblVec3d turn = rbl_cross3d(rbl_to_double3(arm), n);
    out[0] = sign * n.x;
    out[1] = sign * n.y;
    out[2] = sign * n.z;
    out[3] = sign * turn.x;
    out[4] = sign * turn.y;
    out[5] = sign * turn.z;
}

bool rbl_subspace_write_rows(rblSubspace* system)
{
    const size_t numbers = 3 * (size_t)system->contacts;
    if (!rbl_array_renew(&system->step->subspace->rows, numbers, 0))
    {
        return false;
    }
    system->rows = system->step->subspace->rows.data;
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        rblVec3 axes[3];
        rbl_contact_axes(walk.contact, axes);
        for (uint32_t n = 0; n < 3; ++n)
        {
            rblSubspaceRow* row = &system->rows[walk.at + n];
            write_row(axes[n], walk.contact->arm_a, -1.0, row->a);
            write_row(axes[n], walk.contact->arm_b, 1.0, row->b);
            row->weight = weight_of(walk.contact, n);
        }
    }
    return true;
}

// block += scale left right^T.
static void add_product(double* restrict block, double scale, const double* restrict left,
                        const double* restrict right)
{
    for (uint32_t r = 0; r < 6; ++r)
    {
        const double factor = scale * left[r];
        for (uint32_t c = 0; c < 6; ++c)
        {
            block[RBL_BLOCK * r + c] += factor * right[c];
        }
    }
}

static void write_masses(const rblSubspace* system, const rblIsland* island)
{
    rblStep* step = system->step;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[step->island_bodies.data[island->first + i]];
        const rblSymmetric3 inertia = rbl_symmetric3_inverse(body->inverse_inertia);
        double* block = rbl_blocks_of_node(&step->subspace->blocks, i);
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

// Add the active rows of a manifold to the blocks of its bodies and, when both can move, to the block of their edge.
static void add_rows(const rblSubspace* system, const rblManifold* manifold, uint32_t at, uint32_t edge)
{
    rblBlockSystem* blocks = &system->step->subspace->blocks;
    const Nodes nodes = nodes_of(system->step, manifold);
    double* on_a = nodes.a != RBL_NONE ? rbl_blocks_of_node(blocks, nodes.a) : NULL;
    double* on_b = nodes.b != RBL_NONE ? rbl_blocks_of_node(blocks, nodes.b) : NULL;
    double* between = on_a != NULL && on_b != NULL ? rbl_blocks_of_edge(blocks, edge) : NULL;
    for (uint32_t k = at; k < at + 3 * manifold->count; ++k)
    {
        const rblSubspaceRow* row = &system->rows[k];
        if (!system->free[k])
        {
            continue;
        }
        if (on_a != NULL)
        {
            add_product(on_a, row->weight, row->a, row->a);
        }
        if (on_b != NULL)
        {
            add_product(on_b, row->weight, row->b, row->b);
        }
        if (between != NULL)
        {
            add_product(between, row->weight, row->a, row->b);
        }
    }
}

static void factor(const rblSubspace* system, const rblIsland* island)
{
    const rblStep* step = system->step;
    rbl_blocks_zero(&system->step->subspace->blocks);
    write_masses(system, island);
    uint32_t edge = 0; // edges are in the order of manifolds between two bodies
    uint32_t at = 0;
    for (uint32_t m = 0; m < system->manifold_count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[system->manifolds[m]];
        const Nodes nodes = nodes_of(step, manifold);
        add_rows(system, manifold, at, edge);
        edge += nodes.a != RBL_NONE && nodes.b != RBL_NONE;
        at += 3 * manifold->count;
    }
    rbl_blocks_factor(&system->step->subspace->blocks);
}

static void add_row(double* restrict to, double scale, const double* restrict row)
{
    for (uint32_t k = 0; k < 6; ++k)
    {
        to[k] += scale * row[k];
    }
}

// G^T r / c for the bodies.
static void write_right_side(const rblSubspace* system)
{
    const rblStep* step = system->step;
    rblDoubleArray* vector = &system->step->subspace->blocks.vector;
    memset(vector->data, 0, vector->count * sizeof *vector->data);
    uint32_t at = 0;
    for (uint32_t m = 0; m < system->manifold_count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[system->manifolds[m]];
        const Nodes nodes = nodes_of(step, manifold);
        double nowhere[6] = {0.0};
        double* on_a = nodes.a != RBL_NONE ? &vector->data[RBL_BLOCK * (size_t)nodes.a] : nowhere;
        double* on_b = nodes.b != RBL_NONE ? &vector->data[RBL_BLOCK * (size_t)nodes.b] : nowhere;
        const uint32_t end = at + 3 * manifold->count;
        for (; at < end; ++at)
        {
            const rblSubspaceRow* row = &system->rows[at];
            const double scale = row->weight * system->residual[at];
            if (system->free[at])
            {
                add_row(on_a, scale, row->a);
                add_row(on_b, scale, row->b);
            }
        }
    }
}

static double along_row(const double row[6], const double* motion)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < 6; ++k)
    {
        sum += row[k] * motion[k];
    }
    return sum;
}

// One solve: motions from the residuals, impulses from the motions, then the new residuals.
static void refine(const rblSubspace* system)
{
    static const double still[6] = {0.0};
    const rblStep* step = system->step;
    const double* vector = step->subspace->blocks.vector.data;
    write_right_side(system);
    rbl_blocks_solve(&system->step->subspace->blocks);
    uint32_t at = 0;
    for (uint32_t m = 0; m < system->manifold_count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[system->manifolds[m]];
        const Nodes nodes = nodes_of(step, manifold);
        const double* on_a = nodes.a != RBL_NONE ? &vector[RBL_BLOCK * (size_t)nodes.a] : still;
        const double* on_b = nodes.b != RBL_NONE ? &vector[RBL_BLOCK * (size_t)nodes.b] : still;
        const uint32_t end = at + 3 * manifold->count;
        for (; at < end; ++at)
        {
            const rblSubspaceRow* row = &system->rows[at];
            if (system->free[at])
            {
                system->residual[at] -= along_row(row->b, on_b) + along_row(row->a, on_a);
                system->unknown[at] += row->weight * system->residual[at];
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
        refine(system);
    }
    // Contradicting contacts leave a residual that no motion can remove. Each refinement has added it to the impulses, divided
    // by the softness: subtract it.
    for (uint32_t i = 0; i < 3 * system->contacts; ++i)
    {
        system->unknown[i] -=
            system->free[i] ? REFINEMENTS * system->rows[i].weight * system->residual[i] : 0.0;
    }
}
