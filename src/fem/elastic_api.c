// The public calls of rubble/elasticity.h: check arguments, look up ids, call the implementation.
#include "base/def.h"
#include "base/error.h"
#include "fem/elastic.h"
#include "fem/modes.h"
#include <string.h>

// ---- creation ----

RBL_DEF_KIND(elastic_def, rblElasticDef, "elastic solid", rbl_default_elastic_def, 0x454c4153u);

void rbl_elastic_def_init(rblElasticDef* def, size_t size)
{
    const rblElasticDef defaults = {.young = 70e9, .poisson = 0.22, .density = 2500.0, .tolerance = 1e-9};
    rbl_def_init(&elastic_def, &defaults, def, size);
}

static rblResult fail_null(void)
{
    return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: an argument must not be null");
}

rblResult rbl_elastic_create(const rblElasticDef* given, rblElasticId* out)
{
    rblElasticDef def = rbl_default_elastic_def();
    RBL_TRY(rbl_def_read(&elastic_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: out must not be null");
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(def.tets, &tets));
    rblElastic* elastic;
    const rblResult result =
        rbl_elastic_new(rbl_tets_get_view(tets), &def, rbl_default_jobs(), rbl_default_allocator(), &elastic);
    rbl_tets_release(tets);
    RBL_TRY(result);
    return rbl_elastic_register(elastic, out);
}

rblResult rbl_elastic_view(rblElasticId id, rblElasticView* out)
{
    if (out == NULL)
    {
        return fail_null();
    }
    rblElastic* elastic;
    RBL_TRY(rbl_elastic_acquire(id, &elastic));
    *out = elastic->view;
    rbl_elastic_release(elastic);
    return RBL_OK;
}

// ---- queries ----

static rblResult check_vectors(const rblElastic* elastic, const rblVec3d* vectors, const char* what)
{
    for (uint32_t i = 0; i < elastic->mesh_nodes.count; ++i)
    {
        if (!rbl_finite3d(vectors[i]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: the %s of node %u must be finite", what, i);
        }
    }
    return RBL_OK;
}

rblResult rbl_elastic_solve_forces(rblElasticId id, const rblVec3d* forces, const rblElasticFields* fields,
                                   rblElasticReport* report)
{
    if (forces == NULL || fields == NULL)
    {
        return fail_null();
    }
    rblElastic* elastic;
    rblElasticReport own = {.residual = 0.0};
    RBL_TRY(rbl_elastic_acquire(id, &elastic));
    rblResult result = check_vectors(elastic, forces, "force");
    if (result == RBL_OK)
    {
        result = rbl_elastic_solve_nodes(elastic, forces, rbl_default_jobs(), fields, &own);
    }
    rbl_elastic_release(elastic);
    if (result == RBL_OK && report != NULL)
    {
        *report = own;
    }
    return result;
}

static rblResult forces_of(const rblElastic* elastic, const rblElasticLoad* loads, uint32_t count,
                           rblVec3d** out)
{
    rblVec3d* forces = rbl_alloc_zero(elastic->allocator, sizeof *forces * elastic->mesh_nodes.count);
    if (forces == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = rbl_elastic_add_loads(elastic, loads, count, forces);
    if (result != RBL_OK)
    {
        RBL_FREE_ARRAY(elastic->allocator, forces, elastic->mesh_nodes.count);
        return result;
    }
    *out = forces;
    return RBL_OK;
}

rblResult rbl_elastic_forces(rblElasticId id, const rblElasticLoad* loads, uint32_t load_count, rblVec3d* out)
{
    if (out == NULL || (loads == NULL && load_count > 0))
    {
        return fail_null();
    }
    rblElastic* elastic;
    rblVec3d* forces = NULL;
    RBL_TRY(rbl_elastic_acquire(id, &elastic));
    const rblResult result = forces_of(elastic, loads, load_count, &forces);
    if (result == RBL_OK)
    {
        memcpy(out, forces, sizeof *out * elastic->mesh_nodes.count);
        RBL_FREE_ARRAY(elastic->allocator, forces, elastic->mesh_nodes.count);
    }
    rbl_elastic_release(elastic);
    return result;
}

rblResult rbl_elastic_solve(rblElasticId id, const rblElasticLoad* loads, uint32_t load_count,
                            const rblElasticFields* fields, rblElasticReport* report)
{
    if (fields == NULL || (loads == NULL && load_count > 0))
    {
        return fail_null();
    }
    rblElastic* elastic;
    rblVec3d* forces = NULL;
    rblElasticReport own = {.residual = 0.0};
    RBL_TRY(rbl_elastic_acquire(id, &elastic));
    rblResult result = forces_of(elastic, loads, load_count, &forces);
    if (result == RBL_OK)
    {
        result = rbl_elastic_solve_nodes(elastic, forces, rbl_default_jobs(), fields, &own);
        RBL_FREE_ARRAY(elastic->allocator, forces, elastic->mesh_nodes.count);
    }
    rbl_elastic_release(elastic);
    if (result == RBL_OK && report != NULL)
    {
        *report = own;
    }
    return result;
}

rblResult rbl_elastic_evaluate(rblElasticId id, const rblVec3d* displacements, const rblElasticFields* fields,
                               rblElasticReport* report)
{
    if (displacements == NULL || fields == NULL)
    {
        return fail_null();
    }
    rblElastic* elastic;
    rblElasticReport own = {.residual = 0.0};
    RBL_TRY(rbl_elastic_acquire(id, &elastic));
    rblResult result = check_vectors(elastic, displacements, "displacement");
    if (result == RBL_OK)
    {
        result = rbl_elastic_measure(elastic, displacements, rbl_default_jobs(), fields, &own);
    }
    if (result == RBL_OK && fields->displacements != NULL)
    {
        memmove(fields->displacements, displacements, sizeof *displacements * elastic->mesh_nodes.count);
    }
    rbl_elastic_release(elastic);
    if (result == RBL_OK && report != NULL)
    {
        *report = own;
    }
    return result;
}

// ---- modes ----

rblResult rbl_elastic_modes(rblElasticId id, uint32_t count, double* frequencies, rblVec3d* shapes)
{
    if (frequencies == NULL || shapes == NULL)
    {
        return fail_null();
    }
    rblElastic* elastic;
    RBL_TRY(rbl_elastic_acquire(id, &elastic));
    const rblResult result = rbl_elastic_find_modes(elastic, count, rbl_default_jobs(), frequencies, shapes);
    rbl_elastic_release(elastic);
    return result;
}

rblResult rbl_elastic_respond(rblElasticId id, const double* frequencies, const rblVec3d* shapes,
                              uint32_t mode_count, const rblElasticLoad* loads, uint32_t load_count,
                              double* time, rblVec3d* displacements)
{
    if (frequencies == NULL || shapes == NULL || time == NULL || displacements == NULL ||
        (loads == NULL && load_count > 0))
    {
        return fail_null();
    }
    rblElastic* elastic;
    RBL_TRY(rbl_elastic_acquire(id, &elastic));
    const rblResult result = rbl_elastic_respond_modes(elastic, frequencies, shapes, mode_count, loads,
                                                       load_count, time, displacements);
    rbl_elastic_release(elastic);
    return result;
}
