// Conjugate gradients on the stiffness of an elastic solid, preconditioned with its factors or by blocks.
#ifndef RBL_FEM_CONJUGATE_H
#define RBL_FEM_CONJUGATE_H

#include "fem/elastic.h"

// Solve K x = right from the initial guess in x, along the free axes. `right` has no rigid part. Sets residual and
// iterations of the report. RBL_ERROR_GEOMETRY when it does not converge.
rblResult rbl_conjugate_solve(const rblElastic* elastic, const rblVec3d* right, rblVec3d* x, rblJobs* jobs,
                              rblElasticReport* report);

#endif
