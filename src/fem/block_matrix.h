// Symmetric sparse matrices of 3 x 3 blocks, one row of blocks per node.
#ifndef RBL_FEM_BLOCK_MATRIX_H
#define RBL_FEM_BLOCK_MATRIX_H

#include "base/array.h"
#include "base/jobs.h"
#include "math/vec.h"

// Compressed rows with both triangles of the matrix, so that rows can be multiplied independently.
typedef struct rblBlockMatrix
{
    rblIndexArray starts;  // of rows, and the end: count + 1
    rblIndexArray columns; // increasing in each row; the diagonal is always present
    rblDoubleArray blocks; // 9 per column, row by row
} rblBlockMatrix;

void rbl_block_matrix_init(rblBlockMatrix* matrix, const rblAllocator* allocator);
void rbl_block_matrix_free(rblBlockMatrix* matrix);
size_t rbl_block_matrix_bytes(const rblBlockMatrix* matrix);

static inline uint32_t rbl_block_matrix_rows(const rblBlockMatrix* matrix)
{
    return (uint32_t)matrix->starts.count - 1;
}

// The pattern of a mesh: nodes that share a tetrahedron. `incident` lists the tetrahedra of each node, by
// `incident_starts`. All blocks are zero. False when out of memory.
bool rbl_block_matrix_pattern(rblBlockMatrix* matrix, uint32_t node_count, const uint32_t* nodes,
                              const uint32_t* incident_starts, const uint32_t* incident);

// The block in that row and column, which is in the pattern.
double* rbl_block_matrix_at(const rblBlockMatrix* matrix, uint32_t row, uint32_t column);

// out = matrix * x. The sum of a row is taken in the order of its columns, for any number of workers.
void rbl_block_matrix_multiply(const rblBlockMatrix* matrix, const rblVec3d* x, rblVec3d* out, rblJobs* jobs);

#endif
