// Sparse Cholesky factors of symmetric positive definite matrices of 3 x 3 blocks that belong to a mesh.
//
// Nested dissection (George 1973): a plane halves the nodes, the separator of the halves is ordered last, and the halves
// are divided in the same way. Every separator, and every part that is not divided further, is one front: a dense matrix
// of its own nodes and of the later nodes coupled to them (multifrontal, Duff and Reid 1983). The order, the fronts and
// every sum depend only on the matrix.
#ifndef RBL_FEM_CHOLESKY_H
#define RBL_FEM_CHOLESKY_H

#include "fem/block_matrix.h"
#include "rubble/result.h"

// One step of the elimination. Children come before their parents, and directly after their own children.
typedef struct rblFront
{
    uint32_t first, count;         // own nodes: positions in the order
    uint32_t row_first, row_count; // later nodes coupled to them, in `rows`
    uint32_t children[2];          // RBL_NONE: none
    uint32_t begin;                // the first front of this subtree
    uint32_t depth;                // 0: the last front
    size_t panel; // first of its values: columns of the own nodes, each with own and later rows
} rblFront;

typedef struct rblCholesky
{
    rblIndexArray order; // node by position
    rblIndexArray place; // position by node
    RBL_ARRAY(rblFront) fronts;
    rblIndexArray rows; // positions, increasing in each front
    rblDoubleArray values;
    rblFloatArray singles; // instead of them, after rbl_cholesky_round()
    uint32_t max_rows;     // of a front, own and later, in numbers (3 per node)
} rblCholesky;

void rbl_cholesky_init(rblCholesky* factor, const rblAllocator* allocator);
void rbl_cholesky_free(rblCholesky* factor);
size_t rbl_cholesky_bytes(const rblCholesky* factor);

// Order and fronts. False when out of memory.
bool rbl_cholesky_dissect(rblCholesky* factor, const rblBlockMatrix* matrix, const rblVec3d* positions);

// The matrix to factor: `matrix` plus `extra` on the diagonal; rows and columns of fixed axes have their diagonal only.
typedef struct rblCholeskyInput
{
    const rblBlockMatrix* matrix;
    const double* extra;   // per node, added to the diagonal; may be null
    const uint32_t* fixed; // per node, bits of fixed axes; may be null
} rblCholeskyInput;

// Compute the factors. RBL_ERROR_GEOMETRY when the matrix is not positive definite.
rblResult rbl_cholesky_factor(rblCholesky* factor, const rblCholeskyInput* input, rblJobs* jobs);

// Compute factors in single precision from those in double; the caller keeps either.
rblResult rbl_cholesky_round(rblCholesky* factor);

// Solve in place with rounded factors. `scratch` has one vector per node and per row of the widest front.
void rbl_cholesky_solve_rounded(const rblCholesky* factor, rblVec3d* x, rblVec3d* scratch);

// The size of the working memory of rbl_cholesky_solve(), in numbers, for this many right-hand sides.
size_t rbl_cholesky_scratch(const rblCholesky* factor, uint32_t count);

// Solve in place for `count` right-hand sides, each with one vector per node.
void rbl_cholesky_solve(const rblCholesky* factor, rblVec3d* const* x, uint32_t count, double* scratch);

#endif
