// Gradients, masses and the stiffness matrix.
#include "base/error.h"
#include "fem/elastic.h"

// Tetrahedra and nodes per job, at least: enough work to pay for the start of a job.
#define TET_RANGE  512
#define NODE_RANGE 256

typedef struct Assembly
{
    rblElastic* elastic;
    const double* given; // factors by tetrahedron of the mesh, or null
} Assembly;

// g_b = (c - a) x (d - a) / (6 V), and the same for the other nodes in cyclic order.
static void measure_tets(rblRange range, void* context)
{
    const Assembly* assembly = context;
    rblElastic* elastic = assembly->elastic;
    for (uint32_t tet = range.begin; tet < range.end; ++tet)
    {
        const uint32_t* nodes = elastic->nodes.data + 4 * (size_t)tet;
        const rblVec3d a = elastic->positions.data[nodes[0]];
        const rblVec3d ab = rbl_sub3d(elastic->positions.data[nodes[1]], a);
        const rblVec3d ac = rbl_sub3d(elastic->positions.data[nodes[2]], a);
        const rblVec3d ad = rbl_sub3d(elastic->positions.data[nodes[3]], a);
        const rblVec3d bc = rbl_cross3d(ab, ac);
        const double six = rbl_dot3d(bc, ad);
        rblVec3d* gradients = elastic->gradients.data + 3 * (size_t)tet;
        gradients[0] = rbl_scale3d(rbl_cross3d(ac, ad), 1.0 / six);
        gradients[1] = rbl_scale3d(rbl_cross3d(ad, ab), 1.0 / six);
        gradients[2] = rbl_scale3d(bc, 1.0 / six);
        elastic->volumes.data[tet] = six / 6.0;
        elastic->middles.data[tet] = rbl_mul_add3d(a, 0.25, rbl_add3d(rbl_add3d(ab, ac), ad));
        elastic->factors.data[tet] = assembly->given ? assembly->given[elastic->mesh_tets.data[tet]] : 1.0;
    }
}

static rblVec3d gradient_of(const rblElastic* elastic, uint32_t tet, uint32_t corner)
{
    const rblVec3d* g = elastic->gradients.data + 3 * (size_t)tet;
    return corner > 0 ? g[corner - 1] : rbl_neg3d(rbl_add3d(rbl_add3d(g[0], g[1]), g[2]));
}

// block += V (lambda a b^T + mu b a^T + mu (a . b) I)
static void add_block(rblVec3d a, rblVec3d b, double lambda, double mu, double* block)
{
    const double even = mu * rbl_dot3d(a, b);
    block[0] += lambda * a.x * b.x + mu * b.x * a.x + even;
    block[1] += lambda * a.x * b.y + mu * b.x * a.y;
    block[2] += lambda * a.x * b.z + mu * b.x * a.z;
    block[3] += lambda * a.y * b.x + mu * b.y * a.x;
    block[4] += lambda * a.y * b.y + mu * b.y * a.y + even;
    block[5] += lambda * a.y * b.z + mu * b.y * a.z;
    block[6] += lambda * a.z * b.x + mu * b.z * a.x;
    block[7] += lambda * a.z * b.y + mu * b.z * a.y;
    block[8] += lambda * a.z * b.z + mu * b.z * a.z + even;
}

// Each row is the sum over the tetrahedra of its node, in their order.
static void assemble_rows(rblRange range, void* context)
{
    const Assembly* assembly = context;
    rblElastic* elastic = assembly->elastic;
    for (uint32_t row = range.begin; row < range.end; ++row)
    {
        double mass = 0.0;
        for (uint32_t i = elastic->incident_starts.data[row]; i < elastic->incident_starts.data[row + 1]; ++i)
        {
            const uint32_t tet = elastic->incident.data[i];
            const uint32_t* nodes = elastic->nodes.data + 4 * (size_t)tet;
            const double scale = elastic->volumes.data[tet] * elastic->factors.data[tet];
            const uint32_t own = nodes[0] == row ? 0 : nodes[1] == row ? 1 : nodes[2] == row ? 2 : 3;
            const rblVec3d gradient = gradient_of(elastic, tet, own);
            for (uint32_t k = 0; k < 4; ++k)
            {
                add_block(gradient, gradient_of(elastic, tet, k), scale * elastic->lambda,
                          scale * elastic->mu, rbl_block_matrix_at(&elastic->stiffness, row, nodes[k]));
            }
            mass += 0.25 * elastic->density * elastic->volumes.data[tet];
        }
        elastic->masses.data[row] = mass;
    }
}

static rblResult check_factors(const rblElastic* elastic)
{
    for (uint32_t tet = 0; tet < elastic->mesh_tets.count; ++tet)
    {
        const double factor = elastic->factors.data[tet];
        if (!(factor > 0.0) || !rbl_finite(factor))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "elastic solid: the stiffness of tetrahedron %u must be above 0",
                            elastic->mesh_tets.data[tet]);
        }
    }
    return RBL_OK;
}

rblResult rbl_elastic_assemble(rblElastic* elastic, const rblElasticDef* def, rblJobs* jobs)
{
    const uint32_t tet_count = (uint32_t)elastic->mesh_tets.count;
    const uint32_t node_count = (uint32_t)elastic->mesh_nodes.count;
    if (!rbl_array_resize(&elastic->volumes, tet_count) || !rbl_array_resize(&elastic->factors, tet_count) ||
        !rbl_array_resize(&elastic->gradients, 3 * (size_t)tet_count) ||
        !rbl_array_resize(&elastic->masses, node_count) || !rbl_array_resize(&elastic->middles, tet_count) ||
        !rbl_block_matrix_pattern(&elastic->stiffness, node_count, elastic->nodes.data,
                                  elastic->incident_starts.data, elastic->incident.data))
    {
        return rbl_fail_memory();
    }
    Assembly assembly = {elastic, def->stiffness};
    rbl_parallel_for(jobs, tet_count, TET_RANGE, measure_tets, &assembly);
    RBL_TRY(check_factors(elastic));
    rbl_parallel_for(jobs, node_count, NODE_RANGE, assemble_rows, &assembly);
    return RBL_OK;
}
