// One island's equations for its contacts that hold, and their direct solution.
#ifndef RBL_DYNAMICS_SOLVE_SUBSPACE_SYSTEM_H
#define RBL_DYNAMICS_SOLVE_SUBSPACE_SYSTEM_H

#include "dynamics/solve/contact_math.h"

// One island's system. Vectors have three numbers per contact (normal, two tangents), bodies six.
typedef struct rblSubspace
{
    rblWorld* world;
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

// One contact of the island after the other.
typedef struct rblSubspaceWalk
{
    uint32_t next_manifold, next_contact;
    const rblManifold* manifold;
    rblSolverContact* contact;
    uint32_t at; // of its first number in the vectors
    bool begun;
} rblSubspaceWalk;

// The next contact; false after the last one.
static inline bool rbl_subspace_walk(const rblSubspace* system, rblSubspaceWalk* walk)
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

static inline void rbl_contact_axes(const rblSolverContact* contact, rblVec3 axes[3])
{
    axes[0] = contact->normal;
    axes[1] = contact->tangent;
    axes[2] = rbl_contact_tangent2(contact);
}

// motion = M^-1 J^T vector.
void rbl_subspace_push(const rblSubspace* system, const double* vector);

// Bodies of the island and who touches whom. True when it is worth it.
bool rbl_subspace_build(const rblSubspace* system, const rblIsland* island, bool* memory);

// The rows of all contacts. False when out of memory.
bool rbl_subspace_write_rows(rblSubspace* system);

// The change of impulses, in `unknown`, that takes the residual away.
void rbl_subspace_solve(const rblSubspace* system, const rblIsland* island);

#endif
