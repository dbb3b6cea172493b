// Equilibrium: K x = f, by conjugate gradients.
//
// With factors of K + s M as the preconditioner one or two steps are enough: the shift s is very small compared with
// the lowest elastic eigenvalue, and a step reduces the error by their ratio. The shift keeps the factors positive
// although K is singular for free parts. Rigid motion has no effect: it is removed from the loads, K is zero for it,
// and it is removed from the result.
#include "base/error.h"
#include "fem/conjugate.h"
#include "fem/elastic.h"
#include <string.h>

// f - K u at free nodes, without rigid accelerations.
static void reduce(const rblElastic* elastic, rblVec3d* forces, rblVec3d* scratch, rblRigidSum* sums,
                   rblJobs* jobs)
{
    if (elastic->fixed.count > 0)
    {
        rbl_block_matrix_multiply(&elastic->stiffness, elastic->moved.data, scratch, jobs);
        for (uint32_t i = 0; i < elastic->mesh_nodes.count; ++i)
        {
            forces[i] = rbl_sub3d(forces[i], scratch[i]);
        }
    }
    rbl_elastic_mask(elastic, forces);
    rbl_elastic_relieve(elastic, forces, sums);
    rbl_elastic_mask(elastic, forces);
}

rblResult rbl_elastic_equilibrium(const rblElastic* elastic, rblVec3d* forces, bool warm, rblJobs* jobs,
                                  rblVec3d* x, rblElasticReport* report)
{
    const size_t count = elastic->mesh_nodes.count;
    rblRigidSum* sums = RBL_NEW_ARRAY(elastic->allocator, rblRigidSum, elastic->parts.count);
    rblVec3d* scratch = RBL_NEW_ARRAY(elastic->allocator, rblVec3d, count);
    rblResult result = sums != NULL && scratch != NULL ? RBL_OK : rbl_fail_memory();
    const bool guessed = result == RBL_OK && !warm && elastic->pin_answers.count > 0;
    result = guessed ? rbl_elastic_guess(elastic, forces, x) : result;
    if (result == RBL_OK)
    {
        reduce(elastic, forces, scratch, sums, jobs);
        if (guessed)
        {
            rbl_elastic_still(elastic, x, sums);
        }
        else if (!warm)
        {
            memset(x, 0, sizeof *x * count);
        }
        rbl_elastic_mask(elastic, x);
        result = rbl_conjugate_solve(elastic, forces, x, jobs, report);
        rbl_elastic_still(elastic, x, sums);
        rbl_elastic_mask(elastic, x);
        for (size_t i = 0; i < elastic->moved.count; ++i)
        {
            x[i] = rbl_add3d(x[i], elastic->moved.data[i]);
        }
    }
    RBL_FREE_ARRAY(elastic->allocator, scratch, count);
    RBL_FREE_ARRAY(elastic->allocator, sums, elastic->parts.count);
    return result;
}

rblResult rbl_elastic_try(rblElastic* elastic, uint32_t number, rblVec3d* forces, rblJobs* jobs, rblVec3d* x,
                          rblElasticReport* report, bool* good)
{
    const uint32_t most = elastic->max_iterations;
    memset(forces, 0, sizeof *forces * elastic->mesh_nodes.count);
    forces[elastic->surface.data[number * (elastic->surface.count / RBL_ELASTIC_TRIES)]] =
        rbl_vec3d(1.0, 1.0, 1.0);
    elastic->max_iterations = RBL_ELASTIC_MAX_TRIED;
    const rblResult result = rbl_elastic_equilibrium(elastic, forces, false, jobs, x, report);
    elastic->max_iterations = most;
    *good = result == RBL_OK;
    return result == RBL_ERROR_MEMORY ? result : RBL_OK;
}

rblResult rbl_elastic_solve_nodes(const rblElastic* elastic, const rblVec3d* forces, rblJobs* jobs,
                                  const rblElasticFields* fields, rblElasticReport* report)
{
    const size_t count = elastic->mesh_nodes.count;
    rblVec3d* memory = RBL_NEW_ARRAY(elastic->allocator, rblVec3d, 2 * count);
    if (memory == NULL)
    {
        return rbl_fail_memory();
    }
    rblVec3d* x = memory + count;
    memcpy(memory, forces, sizeof *memory * count);
    rblResult result = rbl_elastic_equilibrium(elastic, memory, false, jobs, x, report);
    if (result == RBL_OK)
    {
        result = rbl_elastic_measure(elastic, x, jobs, fields, report);
    }
    if (result == RBL_OK && fields->displacements != NULL)
    {
        memcpy(fields->displacements, x, sizeof *x * count);
    }
    RBL_FREE_ARRAY(elastic->allocator, memory, 2 * count);
    return result;
}
