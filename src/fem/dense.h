// Dense column-major kernels for the factorisation of fronts.
#ifndef RBL_FEM_DENSE_H
#define RBL_FEM_DENSE_H

#include "base/jobs.h"

#define RBL_DENSE_STRIP 48 // columns per block

// The size of the working memory for matrices of up to `rows` rows, in numbers.
size_t rbl_dense_scratch(uint32_t rows);

// Factor the first `columns` columns of a symmetric matrix. The lower part of these columns is given, with stride
// `rows`: A = L L^T as far as they extend. False when a pivot is not positive.
bool rbl_dense_factor(double* panel, uint32_t rows, uint32_t columns, double* scratch, rblJobs* jobs);

// c -= a a^T, lower part (the part above the diagonal can be written too). a has `rows` rows and `columns` columns with
// stride `stride`; the first `width` columns of c are computed, with stride `c_stride`.
void rbl_dense_subtract(const double* a, uint32_t stride, uint32_t rows, uint32_t columns, double* c,
                        uint32_t c_stride, uint32_t width, double* scratch, rblJobs* jobs);

#endif
