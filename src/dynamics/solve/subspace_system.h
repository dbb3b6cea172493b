// The linear system of the active contacts of one island, and its direct solution.
#ifndef RBL_DYNAMICS_SOLVE_SUBSPACE_SYSTEM_H
#define RBL_DYNAMICS_SOLVE_SUBSPACE_SYSTEM_H

#include "dynamics/solve/contact_math.h"

// One row of G (subspace_system.c): the relative velocity at a contact along one axis as a function of the motions of both bodies.
typedef struct rblSubspaceRow
{
    double a[6], b[6]; // of velocity and spin
    double weight;     // 1 / c
} rblSubspaceRow;

// Working data of the direct solve, private to subspace*.c.
typedef struct rblSubspaceStage
{
    rblIndexArray island_manifolds; // per island where its manifolds begin, then the manifolds
    rblDoubleArray vectors;         // working vectors of one small island
    rblBlockSystem blocks;          // of its bodies
    uint32_t edges;                 // edges by contacts; the other edges are fill-in of the order of pivots
    size_t most_updates;            // limit that the order of pivots was made with
    rblIndexArray nodes;            // by solver body
    RBL_ARRAY(unsigned char) free_flags;
    RBL_ARRAY(rblSubspaceRow) rows;
} rblSubspaceStage;

// One island's system. Vectors have three numbers per contact (normal, two tangents), bodies six.
typedef struct rblSubspace
{
    rblStep* step;
    const uint32_t* manifolds; // of the island
    uint32_t manifold_count;
    uint32_t contacts;
    double* unknown;     // change of the impulses
    double* residual;    // wanted minus actual velocities
    double* before;      // impulses of the sweeps
    unsigned char* free; // per number: may change
    double* motion;      // per solver body: velocity and spin that impulses give it
    rblSubspaceRow* rows;
} rblSubspace;

// Iterator over the contacts of an island.
typedef struct rblSubspaceWalk
{
    uint32_t next_manifold, next_contact;
    const rblManifold* manifold;
    rblSolverContact* contact;
    uint32_t at; // index of its first number in the vectors
    bool begun;
} rblSubspaceWalk;

// The next contact; false after the last one.
static inline bool rbl_subspace_walk(const rblSubspace* system, rblSubspaceWalk* walk)
{
    rblStep* step = system->step;
    while (walk->manifold == NULL || walk->next_contact == walk->manifold->count)
    {
        if (walk->next_manifold == system->manifold_count)
        {
            return false;
        }
        walk->manifold = &step->manifolds.data[system->manifolds[walk->next_manifold++]];
        walk->next_contact = 0;
    }
    walk->contact = &step->solver_contacts.data[walk->manifold->first + walk->next_contact++];
    walk->at = walk->begun ? walk->at + 3 : 0;
    walk->begun = true;
    return true;
}

static inline void rbl_contact_axes(const rblSolverContact* contact, rblVec3 axes[3])
{
    axes[0] = contact->normal;
    axes[1] = contact->tangent;
    axes[2] = rbl_contact_tangent2(contact);
}

// motion = M^-1 J^T vector.
void rbl_subspace_apply(const rblSubspace* system, const double* vector);

// Build the block structure of the island from its bodies and contacts. False: its factors need more updates of blocks.
bool rbl_subspace_build(const rblSubspace* system, const rblIsland* island, size_t updates, bool* memory);

// Updates of blocks that its factors take.
size_t rbl_subspace_updates(const rblSubspace* system);

// The rows of all contacts. False when out of memory.
bool rbl_subspace_write_rows(rblSubspace* system);

// Compute the change of impulses, in `unknown`, that removes the residual.
void rbl_subspace_solve(const rblSubspace* system, const rblIsland* island);

#endif
