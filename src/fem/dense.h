// Dense kernels in columns: what fronts are factored with.
#ifndef RBL_FEM_DENSE_H
#define RBL_FEM_DENSE_H

#include "base/jobs.h"

#define RBL_DENSE_STRIP 48 // columns that are taken together

// Numbers of working memory for matrices of up to `rows` rows.
size_t rbl_dense_scratch(uint32_t rows);

// Factor the first `columns` columns of a symmetric matrix of which the lower part of these columns is given, `rows` apart: A = L L^T as
// far as they reach. False when a pivot is not positive.
bool rbl_dense_factor(double* panel, uint32_t rows, uint32_t columns, double* scratch, rblJobs* jobs);

// c -= a a^T: lower part (what is above the diagonal may be written too). a has `rows` rows and `columns` columns, `stride` apart; of c
// the first `width` columns are formed, `c_stride` apart.
void rbl_dense_subtract(const double* a, uint32_t stride, uint32_t rows, uint32_t columns, double* c,
                        uint32_t c_stride, uint32_t width, double* scratch, rblJobs* jobs);

#endif
