// Eigenvalues of dense symmetric matrices of up to a few hundred rows.
#ifndef RBL_FEM_DENSE_EIGEN_H
#define RBL_FEM_DENSE_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

// `a` has n columns of n numbers and is overwritten; `vectors` receives the unit eigenvectors as columns, `values` the
// eigenvalues, increasing. `scratch` has 2 n numbers. False when the iteration does not converge: the matrix is not
// finite.
bool rbl_dense_eigen(double* a, uint32_t n, double* values, double* vectors, double* scratch);

#endif
