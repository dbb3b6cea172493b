// Construction of elastic solids.
#include "fem/elastic.h"

#include "base/error.h"
#include <string.h>

// The shift of the factors of a free part, in units of E / (density * size^2). In these units the lowest elastic eigenvalue of a
// compact body is about 10, that of a rod with a length of 100 diameters 0.004: the shift is far below both.
#define SHIFT 1e-8

// Iterations after which a solve fails.
#define MAX_ITERATIONS 5000u

static rblResult check_def(const rblElasticDef* def)
{
    if (!(def->young > 0.0) || !rbl_finite(def->young))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: Young's modulus is %g, must be above 0",
                        def->young);
    }
    if (!(def->poisson > -1.0) || !(def->poisson < 0.5))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "elastic solid: Poisson's ratio is %g, must be between -1 and 0.5, both excluded",
                        def->poisson);
    }
    if (!(def->density > 0.0) || !rbl_finite(def->density))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: the density is %g, must be above 0",
                        def->density);
    }
    if (!(def->tolerance >= 1e-14) || !(def->tolerance < 1.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: the tolerance is %g, must be between 1e-14 and 1",
                        def->tolerance);
    }
    if (def->support_count > 0 && def->supports == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "elastic solid: supports must not be null for a support_count of %u",
                        def->support_count);
    }
    if (def->solver != RBL_ELASTIC_DIRECT && def->solver != RBL_ELASTIC_ITERATIVE &&
        def->solver != RBL_ELASTIC_ROUNDED)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: solver is %d, must be 0 to %d", (int)def->solver,
                        (int)RBL_ELASTIC_ROUNDED);
    }
    return RBL_OK;
}

static rblElastic* allocate(const rblAllocator* allocator)
{
    rblElastic* elastic = rbl_alloc_zero(allocator, sizeof *elastic);
    if (elastic == NULL)
    {
        return NULL;
    }
    elastic->allocator = allocator;
    atomic_init(&elastic->references, 1);
    rbl_array_init(&elastic->mesh_nodes, allocator);
    rbl_array_init(&elastic->mesh_tets, allocator);
    rbl_array_init(&elastic->nodes, allocator);
    rbl_array_init(&elastic->node_parts, allocator);
    rbl_array_init(&elastic->surface, allocator);
    rbl_array_init(&elastic->incident_starts, allocator);
    rbl_array_init(&elastic->incident, allocator);
    rbl_array_init(&elastic->positions, allocator);
    rbl_array_init(&elastic->parts, allocator);
    rbl_array_init(&elastic->volumes, allocator);
    rbl_array_init(&elastic->middles, allocator);
    rbl_array_init(&elastic->masses, allocator);
    rbl_array_init(&elastic->factors, allocator);
    rbl_array_init(&elastic->gradients, allocator);
    rbl_block_matrix_init(&elastic->stiffness, allocator);
    rbl_array_init(&elastic->fixed, allocator);
    rbl_array_init(&elastic->moved, allocator);
    rbl_array_init(&elastic->modes, allocator);
    rbl_array_init(&elastic->patch_starts, allocator);
    rbl_array_init(&elastic->patch_tets, allocator);
    rbl_array_init(&elastic->patch_weights, allocator);
    rbl_cholesky_init(&elastic->factor, allocator);
    rbl_array_init(&elastic->pin_answers, allocator);
    rbl_coarse_init(&elastic->coarse, allocator);
    return elastic;
}

static void destroy(rblElastic* elastic)
{
    rbl_array_free(&elastic->mesh_nodes);
    rbl_array_free(&elastic->mesh_tets);
    rbl_array_free(&elastic->nodes);
    rbl_array_free(&elastic->node_parts);
    rbl_array_free(&elastic->surface);
    rbl_array_free(&elastic->incident_starts);
    rbl_array_free(&elastic->incident);
    rbl_array_free(&elastic->positions);
    rbl_array_free(&elastic->parts);
    rbl_array_free(&elastic->volumes);
    rbl_array_free(&elastic->middles);
    rbl_array_free(&elastic->masses);
    rbl_array_free(&elastic->factors);
    rbl_array_free(&elastic->gradients);
    rbl_block_matrix_free(&elastic->stiffness);
    rbl_array_free(&elastic->fixed);
    rbl_array_free(&elastic->moved);
    rbl_array_free(&elastic->modes);
    rbl_array_free(&elastic->patch_starts);
    rbl_array_free(&elastic->patch_tets);
    rbl_array_free(&elastic->patch_weights);
    rbl_cholesky_free(&elastic->factor);
    rbl_array_free(&elastic->pin_answers);
    rbl_coarse_free(&elastic->coarse);
    rbl_free(elastic->allocator, elastic, sizeof *elastic);
}

// The first node of the solid for a node of the mesh (they are sorted); the end when there is none.
static uint32_t first_of(const rblElastic* elastic, uint32_t mesh_node)
{
    uint32_t low = 0, high = (uint32_t)elastic->mesh_nodes.count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (elastic->mesh_nodes.data[middle] < mesh_node)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

static rblResult add_support(rblElastic* elastic, const rblElasticSupport* support, uint32_t index)
{
    if (support->axes > 7)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: support %u: axes must be bits 1, 2 and 4", index);
    }
    if (!rbl_finite3d(support->moved))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: support %u: the displacement must be finite",
                        index);
    }
    uint32_t node = first_of(elastic, support->node);
    if (node == elastic->mesh_nodes.count || elastic->mesh_nodes.data[node] != support->node)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: support %u: node %u is not in the solid", index,
                        support->node);
    }
    for (; node < elastic->mesh_nodes.count && elastic->mesh_nodes.data[node] == support->node; ++node)
    {
        elastic->fixed.data[node] |= support->axes;
        rblVec3d* moved = &elastic->moved.data[node];
        moved->x = (support->axes & 1u) != 0 ? support->moved.x : moved->x;
        moved->y = (support->axes & 2u) != 0 ? support->moved.y : moved->y;
        moved->z = (support->axes & 4u) != 0 ? support->moved.z : moved->z;
    }
    return RBL_OK;
}

static rblResult add_supports(rblElastic* elastic, const rblElasticDef* def)
{
    const size_t count = elastic->mesh_nodes.count;
    if (def->support_count == 0)
    {
        return RBL_OK;
    }
    if (!rbl_array_resize(&elastic->fixed, count) || !rbl_array_resize(&elastic->moved, count))
    {
        return rbl_fail_memory();
    }
    memset(elastic->fixed.data, 0, sizeof *elastic->fixed.data * count);
    memset(elastic->moved.data, 0, sizeof *elastic->moved.data * count);
    for (uint32_t i = 0; i < def->support_count; ++i)
    {
        RBL_TRY(add_support(elastic, &def->supports[i], i));
    }
    return RBL_OK;
}

// The extent of each part determines how low its eigenvalues can be, and so the shift. `extra` receives the number
// that is added to the diagonal of each node.
static void choose_shifts(rblElastic* elastic, const rblElasticDef* def, double* extra)
{
    for (uint32_t i = 0; i < elastic->positions.count; ++i)
    {
        const rblElasticPart* part = &elastic->parts.data[elastic->node_parts.data[i]];
        extra[i] = rbl_distance3d(elastic->positions.data[i], part->centre);
    }
    for (uint32_t i = 0; i < elastic->positions.count; ++i)
    {
        rblElasticPart* part = &elastic->parts.data[elastic->node_parts.data[i]];
        part->radius = rbl_maxd(part->radius, extra[i]);
    }
    for (uint32_t p = 0; p < elastic->parts.count; ++p)
    {
        rblElasticPart* part = &elastic->parts.data[p];
        part->shift = SHIFT * def->young / (def->density * 4.0 * part->radius * part->radius);
    }
    for (uint32_t i = 0; i < elastic->positions.count; ++i)
    {
        extra[i] = elastic->parts.data[elastic->node_parts.data[i]].shift * elastic->masses.data[i];
    }
}

static rblResult factor_with(rblElastic* elastic, const rblElasticDef* def, double* extra, rblJobs* jobs)
{
    choose_shifts(elastic, def, extra);
    const rblCholeskyInput input = {&elastic->stiffness, extra,
                                    elastic->fixed.count > 0 ? elastic->fixed.data : NULL};
    if (!rbl_cholesky_dissect(&elastic->factor, &elastic->stiffness, elastic->positions.data))
    {
        return rbl_fail_memory();
    }
    return rbl_cholesky_factor(&elastic->factor, &input, jobs);
}

static rblResult prepare_solver(rblElastic* elastic, const rblElasticDef* def, rblJobs* jobs)
{
    if (def->solver == RBL_ELASTIC_ITERATIVE)
    {
        const rblCoarseInput input = {&elastic->stiffness, elastic->positions.data,
                                      elastic->fixed.count > 0 ? elastic->fixed.data : NULL};
        return rbl_coarse_prepare(&elastic->coarse, &input, jobs);
    }
    const size_t count = elastic->positions.count;
    double* extra = RBL_NEW_ARRAY(elastic->allocator, double, count);
    const rblResult result = extra != NULL ? factor_with(elastic, def, extra, jobs) : rbl_fail_memory();
    RBL_FREE_ARRAY(elastic->allocator, extra, count);
    return result;
}

// Round the factors to single precision. For very thin or nearly incompressible solids the rounded factors are so
// inaccurate that the iteration does not converge; these solids keep their factors in double precision.
static rblResult round_factors(rblElastic* elastic, rblJobs* jobs)
{
    const size_t count = elastic->mesh_nodes.count;
    rblCholesky* factor = &elastic->factor;
    rblVec3d* memory = RBL_NEW_ARRAY(elastic->allocator, rblVec3d, 2 * count);
    rblResult result = memory != NULL ? rbl_cholesky_round(factor) : rbl_fail_memory();
    bool good = true;
    for (uint32_t t = 0; t < RBL_ELASTIC_TRIES && good && result == RBL_OK; ++t)
    {
        rblElasticReport report;
        result = rbl_elastic_try(elastic, t, memory, jobs, memory + count, &report, &good);
    }
    RBL_FREE_ARRAY(elastic->allocator, memory, 2 * count);
    RBL_TRY(result);
    if (!good)
    {
        rbl_array_free(&factor->singles);
        return RBL_OK;
    }
    rbl_array_free(&factor->values);
    return rbl_elastic_pin(elastic, jobs);
}

static size_t bytes_of(const rblElastic* elastic)
{
    const size_t indices = elastic->mesh_nodes.capacity + elastic->mesh_tets.capacity +
                           elastic->nodes.capacity + elastic->node_parts.capacity +
                           elastic->surface.capacity + elastic->incident_starts.capacity +
                           elastic->incident.capacity + elastic->fixed.capacity +
                           elastic->patch_starts.capacity + elastic->patch_tets.capacity;
    const size_t numbers = elastic->volumes.capacity + elastic->masses.capacity + elastic->factors.capacity +
                           elastic->patch_weights.capacity;
    const size_t vectors = elastic->positions.capacity + elastic->middles.capacity +
                           elastic->gradients.capacity + elastic->moved.capacity +
                           elastic->pin_answers.capacity;
    return sizeof *elastic + indices * sizeof(uint32_t) + numbers * sizeof(double) +
           vectors * sizeof(rblVec3d) + elastic->parts.capacity * sizeof(rblElasticPart) +
           elastic->modes.capacity * sizeof(rblRigidMode) + rbl_block_matrix_bytes(&elastic->stiffness) +
           rbl_cholesky_bytes(&elastic->factor) + rbl_coarse_bytes(&elastic->coarse);
}

static void fill_view(rblElastic* elastic)
{
    elastic->view = (rblElasticView){
        .node_count = (uint32_t)elastic->mesh_nodes.count,
        .tet_count = (uint32_t)elastic->mesh_tets.count,
        .part_count = (uint32_t)elastic->parts.count,
        .free_mode_count = (uint32_t)elastic->modes.count,
        .mesh_nodes = elastic->mesh_nodes.data,
        .mesh_tets = elastic->mesh_tets.data,
        .nodes = elastic->nodes.data,
        .parts = elastic->node_parts.data,
        .positions = elastic->positions.data,
        .volumes = elastic->volumes.data,
        .masses = elastic->masses.data,
        .surface_face_count = (uint32_t)elastic->surface.count / 3,
        .surface = elastic->surface.data,
        .bytes = bytes_of(elastic),
        .factor_values = elastic->factor.values.count + elastic->factor.singles.count,
    };
}

static rblResult build(rblElastic* elastic, const rblTetsView* tets, const rblElasticDef* def, rblJobs* jobs)
{
    elastic->solver = def->solver;
    elastic->tolerance = def->tolerance;
    elastic->max_iterations = MAX_ITERATIONS;
    elastic->density = def->density;
    elastic->mu = def->young / (2.0 * (1.0 + def->poisson));
    elastic->lambda = def->young * def->poisson / ((1.0 + def->poisson) * (1.0 - 2.0 * def->poisson));
    RBL_TRY(rbl_elastic_gather(elastic, tets, def));
    RBL_TRY(rbl_elastic_assemble(elastic, def, jobs));
    RBL_TRY(add_supports(elastic, def));
    RBL_TRY(rbl_elastic_find_rigid_modes(elastic));
    RBL_TRY(rbl_elastic_prepare_recovery(elastic, jobs));
    RBL_TRY(prepare_solver(elastic, def, jobs));
    RBL_TRY(def->solver == RBL_ELASTIC_ROUNDED ? round_factors(elastic, jobs) : RBL_OK);
    fill_view(elastic);
    return RBL_OK;
}

rblResult rbl_elastic_new(const rblTetsView* tets, const rblElasticDef* def, rblJobs* jobs,
                          const rblAllocator* allocator, rblElastic** out)
{
    RBL_TRY(check_def(def));
    rblElastic* elastic = allocate(allocator);
    if (elastic == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = build(elastic, tets, def, jobs);
    if (result != RBL_OK)
    {
        destroy(elastic);
        return result;
    }
    *out = elastic;
    return RBL_OK;
}

void rbl_elastic_retain(rblElastic* elastic)
{
    atomic_fetch_add(&elastic->references, 1);
}

void rbl_elastic_release(rblElastic* elastic)
{
    if (elastic != NULL && atomic_fetch_sub(&elastic->references, 1) == 1)
    {
        destroy(elastic);
    }
}
