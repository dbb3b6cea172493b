// The coarse level of the iterative solver: groups of neighbouring nodes that move as rigid bodies.
//
// With P the displacements of all nodes by the motions of the groups, P (P^T K P)^-1 P^T r is the best response of the
// groups to forces r. It carries forces across the whole solid at once; diagonal blocks alone carry them from neighbour
// to neighbour (aggregation, Bulgakov and Kuhn 1995). The matrix of the groups is small and has its own factors.
#ifndef RBL_FEM_COARSE_H
#define RBL_FEM_COARSE_H

#include "fem/cholesky.h"

typedef struct rblCoarse
{
    uint32_t group_count;
    rblIndexArray groups;        // per node
    RBL_ARRAY(rblVec3d) arms;    // per node: from the centre of its group, in units of the size of the group
    RBL_ARRAY(rblVec3d) centres; // twice per group
    rblIndexArray member_starts, members; // nodes of each group
    rblBlockMatrix matrix;                // two rows per group: translation and rotation
    rblCholesky factor;
} rblCoarse;

typedef struct rblCoarseInput
{
    const rblBlockMatrix* matrix;
    const rblVec3d* positions;
    const uint32_t* fixed; // bits of axes per node, or null
} rblCoarseInput;

void rbl_coarse_init(rblCoarse* coarse, const rblAllocator* allocator);
void rbl_coarse_free(rblCoarse* coarse);
size_t rbl_coarse_bytes(const rblCoarse* coarse);

rblResult rbl_coarse_prepare(rblCoarse* coarse, const rblCoarseInput* input, rblJobs* jobs);

// The size of the working memory of rbl_coarse_add(), in numbers.
size_t rbl_coarse_scratch(const rblCoarse* coarse);

// out += P (P^T K P)^-1 P^T forces. Fixed axes can move too: mask the result.
void rbl_coarse_add(const rblCoarse* coarse, const rblVec3d* forces, rblVec3d* out, double* scratch);

#endif
