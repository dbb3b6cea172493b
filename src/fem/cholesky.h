// Sparse Cholesky factors of symmetric positive matrices of 3 x 3 blocks that belong to a mesh.
//
// Nested dissection (George 1973): nodes are halved by a plane, those that separate the halves come last, and so on inside each half.
// Every separator, and every rest that is not halved any more, is one front: a dense matrix of its own nodes and of the later nodes
// they are coupled to (multifrontal, Duff and Reid 1983). The order, the fronts and every sum depend on the matrix alone.
#ifndef RBL_FEM_CHOLESKY_H
#define RBL_FEM_CHOLESKY_H

#include "fem/block_matrix.h"
#include "rubble/result.h"

// One step of elimination. Children come before their parents, and right after their own children.
typedef struct rblFront
{
    uint32_t first, count;         // own nodes: places in the order
    uint32_t row_first, row_count; // later nodes coupled to them, in `rows`
    uint32_t children[2];          // RBL_NONE: none
    uint32_t begin;                // the first front of this subtree
    uint32_t depth;                // 0: the last front
    size_t panel; // first of its values: columns of the own nodes, each with own and later rows
} rblFront;

typedef struct rblCholesky
{
    rblIndexArray order; // node by place
    rblIndexArray place; // place by node
    RBL_ARRAY(rblFront) fronts;
    rblIndexArray rows; // places, rising in each front
    rblDoubleArray values;
    rblFloatArray singles; // in place of them, after rbl_cholesky_round()
    uint32_t most_rows;    // of a front, own and later, in numbers (3 per node)
} rblCholesky;

void rbl_cholesky_init(rblCholesky* factor, const rblAllocator* allocator);
void rbl_cholesky_free(rblCholesky* factor);
size_t rbl_cholesky_bytes(const rblCholesky* factor);

// Order and fronts. False when out of memory.
bool rbl_cholesky_dissect(rblCholesky* factor, const rblBlockMatrix* matrix, const rblVec3d* positions);

// What is factored: the matrix with something added to the diagonal, where rows and columns that are held keep their diagonal only.
typedef struct rblCholeskyInput
{
    const rblBlockMatrix* matrix;
    const double* extra;   // per node, added to the diagonal; may be null
    const uint32_t* fixed; // per node, bits of axes that are held; may be null
} rblCholeskyInput;

// Numbers. RBL_ERROR_GEOMETRY when the matrix is not positive.
rblResult rbl_cholesky_factor(rblCholesky* factor, const rblCholeskyInput* input, rblJobs* jobs);

// Factors in single precision beside those in double; keep either.
rblResult rbl_cholesky_round(rblCholesky* factor);

// Solve in place with rounded factors. `scratch` has room for one vector per node and per row of the widest front.
void rbl_cholesky_solve_rounded(const rblCholesky* factor, rblVec3d* x, rblVec3d* scratch);

// How many numbers rbl_cholesky_solve() needs as working memory for so many right sides.
size_t rbl_cholesky_scratch(const rblCholesky* factor, uint32_t count);

// Solve in place for `count` right sides, each of one vector per node.
void rbl_cholesky_solve(const rblCholesky* factor, rblVec3d* const* x, uint32_t count, double* scratch);

#endif
