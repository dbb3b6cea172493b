// Stresses at nodes, and other results that follow from displacements.
//
// Stress is constant in a linear tetrahedron, and accurate to second order only near its centre. A linear function is
// fitted to the tetrahedra around a node and evaluated at the node (the patch recovery of Zienkiewicz and Zhu 1992).
// The patch of an inner node contains the tetrahedra of the node; the patch of a surface node has one more ring,
// because there the fit is evaluated at its border. With the importance p_t = V_t / |x_t - x| of a tetrahedron, the
// centre c of the patch weighted by it, and S = sum p (x_t - c)(x_t - c)^T, the weight of a tetrahedron is
//   w_t = p_t (1 / sum p + (x - c) . S^-1 (x_t - c)).
// Directions in which the patch has no extent are left out of S^-1. Measured on a bent beam and a hollow ball: with p
// = V the hoop stress inside the ball is 2 % too low, with V / |x_t - x|^2 1.5 % too high, and with one ring at the
// surface 5 % too high.
#include "base/error.h"
#include "fem/elastic.h"
#include "math/mat3.h"
#include "math/trig.h"
#include <string.h>

#define NODE_RANGE 128 // nodes per job, at least: enough work to pay for the start of a job
#define TET_RANGE  512 // tetrahedra per job, at least
#define FLAT                                                                                                 \
    0.02 // a direction has no extent when its squared extent is less than this fraction of the largest
#define NARROW                                                                                               \
    1e-6 // the largest has none when it is less than this fraction of the squared distance to the node

// ---- weights ----

typedef struct Patches
{
    rblElastic* elastic;
    uint32_t* seen;         // per tetrahedron: the node, plus 1, whose patch contained it last
    const bool* at_surface; // per node
} Patches;

static bool meet_tets(const Patches* patches, uint32_t node, uint32_t of)
{
    rblElastic* elastic = patches->elastic;
    for (uint32_t i = elastic->incident_starts.data[node]; i < elastic->incident_starts.data[node + 1]; ++i)
    {
        const uint32_t tet = elastic->incident.data[i];
        if (patches->seen[tet] != of + 1)
        {
            patches->seen[tet] = of + 1;
            if (!rbl_array_push(&elastic->patch_tets, tet))
            {
                return false;
            }
        }
    }
    return true;
}

static bool add_patch(const Patches* patches, uint32_t node)
{
    rblElastic* elastic = patches->elastic;
    bool good = meet_tets(patches, node, node);
    for (uint32_t i = elastic->stiffness.starts.data[node];
         good && patches->at_surface[node] && i < elastic->stiffness.starts.data[node + 1]; ++i)
    {
        good = meet_tets(patches, elastic->stiffness.columns.data[i], node);
    }
    return good && rbl_array_push(&elastic->patch_starts, (uint32_t)elastic->patch_tets.count);
}

// S^-1 (x - c). When even the widest direction has no extent compared with the distance of the node, there is only
// one tetrahedron, and S contains only rounding errors.
static rblVec3d lever_of(const rblMat3d* spread, double sum, rblVec3d offset)
{
    rblVec3d values;
    rblMat3d axes;
    rbl_eigen_symmetric3d(spread, &values, &axes);
    rblVec3d lever = rbl_scale3d(axes.cz, rbl_dot3d(axes.cz, offset) / values.z);
    if (values.y > FLAT * values.z)
    {
        lever = rbl_mul_add3d(lever, rbl_dot3d(axes.cy, offset) / values.y, axes.cy);
    }
    if (values.x > FLAT * values.z)
    {
        lever = rbl_mul_add3d(lever, rbl_dot3d(axes.cx, offset) / values.x, axes.cx);
    }
    return values.z > NARROW * sum * rbl_dot3d(offset, offset) ? lever : rbl_vec3d(0.0, 0.0, 0.0);
}

// First the importances, stored in place of the weights. Near tetrahedra count more, because the stress is only
// locally a linear function.
static void weigh_patch(rblElastic* elastic, uint32_t node)
{
    const uint32_t first = elastic->patch_starts.data[node], end = elastic->patch_starts.data[node + 1];
    const rblVec3d at = elastic->positions.data[node];
    double* weights = elastic->patch_weights.data;
    double sum = 0.0;
    rblVec3d middle = {0.0, 0.0, 0.0};
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t tet = elastic->patch_tets.data[i];
        const rblVec3d arm = rbl_sub3d(elastic->middles.data[tet], at);
        weights[i] = elastic->volumes.data[tet] / rbl_length3d(arm);
        sum += weights[i];
        middle = rbl_mul_add3d(middle, weights[i], arm);
    }
    middle = rbl_scale3d(middle, 1.0 / sum); // relative to the node
    const rblVec3d from = rbl_add3d(at, middle);
    rblMat3d spread = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (uint32_t i = first; i < end; ++i)
    {
        const rblVec3d arm = rbl_sub3d(elastic->middles.data[elastic->patch_tets.data[i]], from);
        const rblVec3d heavy = rbl_scale3d(arm, weights[i]);
        spread.cx = rbl_mul_add3d(spread.cx, arm.x, heavy);
        spread.cy = rbl_mul_add3d(spread.cy, arm.y, heavy);
        spread.cz = rbl_mul_add3d(spread.cz, arm.z, heavy);
    }
    const rblVec3d lever = lever_of(&spread, sum, rbl_neg3d(middle));
    for (uint32_t i = first; i < end; ++i)
    {
        const rblVec3d arm = rbl_sub3d(elastic->middles.data[elastic->patch_tets.data[i]], from);
        weights[i] *= 1.0 / sum + rbl_dot3d(lever, arm);
    }
}

static void weigh_patches(rblRange range, void* context)
{
    for (uint32_t node = range.begin; node < range.end; ++node)
    {
        weigh_patch(context, node);
    }
}

rblResult rbl_elastic_prepare_recovery(rblElastic* elastic, rblJobs* jobs)
{
    const rblAllocator* allocator = elastic->allocator;
    const uint32_t node_count = (uint32_t)elastic->mesh_nodes.count;
    const size_t tet_count = elastic->mesh_tets.count;
    uint32_t* seen = rbl_alloc_zero(allocator, sizeof *seen * tet_count);
    bool* at_surface = rbl_alloc_zero(allocator, sizeof *at_surface * node_count);
    bool good = seen != NULL && at_surface != NULL &&
                rbl_array_reserve(&elastic->patch_starts, (size_t)node_count + 1) &&
                rbl_array_push(&elastic->patch_starts, 0u);
    for (size_t i = 0; good && i < elastic->surface.count; ++i)
    {
        at_surface[elastic->surface.data[i]] = true;
    }
    const Patches patches = {elastic, seen, at_surface};
    for (uint32_t node = 0; good && node < node_count; ++node)
    {
        good = add_patch(&patches, node);
    }
    good = good && rbl_array_resize(&elastic->patch_weights, elastic->patch_tets.count);
    if (good)
    {
        rbl_parallel_for(jobs, node_count, NODE_RANGE, weigh_patches, elastic);
    }
    RBL_FREE_ARRAY(allocator, seen, tet_count);
    RBL_FREE_ARRAY(allocator, at_surface, node_count);
    return good ? RBL_OK : rbl_fail_memory();
}

// ---- results ----

typedef struct Measuring
{
    const rblElastic* elastic;
    const rblVec3d* displacements;
    const rblElasticFields* fields;
    double energies[RBL_MAX_BLOCKS];
    double largest[RBL_MAX_BLOCKS];
    uint32_t largest_at[RBL_MAX_BLOCKS];
    rblStress* stresses; // per tetrahedron
} Measuring;

// sigma = lambda tr(e) 1 + 2 mu e; returns the energy, V sigma : e / 2.
static double stress_of(const rblElastic* elastic, const rblVec3d* u, uint32_t tet, rblStress* out)
{
    const uint32_t* nodes = elastic->nodes.data + 4 * (size_t)tet;
    const rblVec3d* g = elastic->gradients.data + 3 * (size_t)tet;
    const rblVec3d a = rbl_sub3d(u[nodes[1]], u[nodes[0]]), b = rbl_sub3d(u[nodes[2]], u[nodes[0]]),
                   c = rbl_sub3d(u[nodes[3]], u[nodes[0]]);
    const double xx = a.x * g[0].x + b.x * g[1].x + c.x * g[2].x;
    const double yy = a.y * g[0].y + b.y * g[1].y + c.y * g[2].y;
    const double zz = a.z * g[0].z + b.z * g[1].z + c.z * g[2].z;
    const double xy =
        a.x * g[0].y + b.x * g[1].y + c.x * g[2].y + (a.y * g[0].x + b.y * g[1].x + c.y * g[2].x);
    const double yz =
        a.y * g[0].z + b.y * g[1].z + c.y * g[2].z + (a.z * g[0].y + b.z * g[1].y + c.z * g[2].y);
    const double zx =
        a.z * g[0].x + b.z * g[1].x + c.z * g[2].x + (a.x * g[0].z + b.x * g[1].z + c.x * g[2].z);
    const double lambda = elastic->lambda * elastic->factors.data[tet];
    const double mu = elastic->mu * elastic->factors.data[tet];
    const double even = lambda * (xx + yy + zz);
    *out = (rblStress){
        even + 2.0 * mu * xx, even + 2.0 * mu * yy, even + 2.0 * mu * zz, mu * xy, mu * yz, mu * zx};
    return 0.5 * elastic->volumes.data[tet] *
           (out->xx * xx + out->yy * yy + out->zz * zz + out->xy * xy + out->yz * yz + out->zx * zx);
}

static void measure_tets(rblRange range, void* context)
{
    Measuring* measuring = context;
    double sum = 0.0;
    for (uint32_t tet = range.begin; tet < range.end; ++tet)
    {
        rblStress stress;
        const double energy = stress_of(measuring->elastic, measuring->displacements, tet, &stress);
        sum += energy;
        if (measuring->stresses != NULL)
        {
            measuring->stresses[tet] = stress;
        }
        if (measuring->fields->tet_energies != NULL)
        {
            measuring->fields->tet_energies[tet] = energy;
        }
    }
    measuring->energies[range.block] = sum;
}

// An upper bound of the principal stresses, which avoids most evaluations of rbl_stress_largest().
static double bound_of(const rblStress* s)
{
    const double mean = (s->xx + s->yy + s->zz) / 3.0;
    const double x = s->xx - mean, y = s->yy - mean, z = s->zz - mean;
    const double shear = s->xy * s->xy + s->yz * s->yz + s->zx * s->zx;
    return mean + 2.0 * (1.0 + 1e-9) * sqrt((x * x + y * y + z * z + 2.0 * shear) / 6.0);
}

static void recover_nodes(rblRange range, void* context)
{
    Measuring* measuring = context;
    const rblElastic* elastic = measuring->elastic;
    double largest = -(double)INFINITY;
    uint32_t largest_at = RBL_NONE;
    for (uint32_t node = range.begin; node < range.end; ++node)
    {
        rblStress sum = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (uint32_t i = elastic->patch_starts.data[node]; i < elastic->patch_starts.data[node + 1]; ++i)
        {
            const double weight = elastic->patch_weights.data[i];
            const rblStress* stress = &measuring->stresses[elastic->patch_tets.data[i]];
            sum.xx += weight * stress->xx;
            sum.yy += weight * stress->yy;
            sum.zz += weight * stress->zz;
            sum.xy += weight * stress->xy;
            sum.yz += weight * stress->yz;
            sum.zx += weight * stress->zx;
        }
        measuring->fields->node_stresses[node] = sum;
        const double principal = bound_of(&sum) >= largest ? rbl_stress_largest(&sum) : largest;
        if (principal > largest)
        {
            largest = principal;
            largest_at = node;
        }
    }
    measuring->largest[range.block] = largest;
    measuring->largest_at[range.block] = largest_at;
}

static void measure(const rblElastic* elastic, const rblVec3d* displacements, rblJobs* jobs,
                    const rblElasticFields* fields, rblElasticReport* report)
{
    Measuring measuring = {.elastic = elastic, .displacements = displacements, .fields = fields};
    const uint32_t tet_count = (uint32_t)elastic->mesh_tets.count;
    const uint32_t node_count = (uint32_t)elastic->mesh_nodes.count;
    measuring.stresses = fields->tet_stresses;
    rbl_parallel_for(jobs, tet_count, TET_RANGE, measure_tets, &measuring);
    report->energy = 0.0;
    for (uint32_t b = 0; b < rbl_block_count(tet_count, TET_RANGE); ++b)
    {
        report->energy += measuring.energies[b];
    }
    report->largest = 0.0;
    report->largest_at = RBL_NONE;
    if (fields->node_stresses == NULL)
    {
        return;
    }
    rbl_parallel_for(jobs, node_count, NODE_RANGE, recover_nodes, &measuring);
    for (uint32_t b = 0; b < rbl_block_count(node_count, NODE_RANGE); ++b)
    {
        if (report->largest_at == RBL_NONE || measuring.largest[b] > report->largest)
        {
            report->largest = measuring.largest[b];
            report->largest_at = measuring.largest_at[b];
        }
    }
}

rblResult rbl_elastic_measure(const rblElastic* elastic, const rblVec3d* displacements, rblJobs* jobs,
                              const rblElasticFields* fields, rblElasticReport* report)
{
    rblElasticFields all = *fields;
    const size_t count = elastic->mesh_tets.count;
    rblStress* own = NULL; // stresses at nodes need those of the tetrahedra
    if (fields->node_stresses != NULL && fields->tet_stresses == NULL)
    {
        own = RBL_NEW_ARRAY(elastic->allocator, rblStress, count);
        if (own == NULL)
        {
            return rbl_fail_memory();
        }
        all.tet_stresses = own;
    }
    measure(elastic, displacements, jobs, &all, report);
    RBL_FREE_ARRAY(elastic->allocator, own, count);
    return RBL_OK;
}

// ---- principal stresses ----

// The largest root of det(s - x) = 0: with m the mean, q and p^2 the halved determinant and a sixth of the squares of s - m,
// m + 2 p cos(acos(q / p^3) / 3) (Smith 1961).
double rbl_stress_largest(const rblStress* stress)
{
    if (stress == NULL)
    {
        return 0.0;
    }
    const double mean = (stress->xx + stress->yy + stress->zz) / 3.0;
    const double x = stress->xx - mean, y = stress->yy - mean, z = stress->zz - mean;
    const double shear = stress->xy * stress->xy + stress->yz * stress->yz + stress->zx * stress->zx;
    const double p = sqrt((x * x + y * y + z * z + 2.0 * shear) / 6.0);
    if (!(p > 0.0))
    {
        return mean;
    }
    const double xs = x / p, ys = y / p, zs = z / p, a = stress->xy / p, b = stress->yz / p,
                 c = stress->zx / p;
    const double q = 0.5 * (xs * (ys * zs - b * b) - a * (a * zs - b * c) + c * (a * b - ys * c));
    return mean + 2.0 * p * rbl_cos(rbl_acos(rbl_clampd(q, -1.0, 1.0)) / 3.0);
}

void rbl_stress_principal(const rblStress* given, rblVec3d* values, rblMat3d* directions)
{
    const rblStress none = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const rblStress* stress = given != NULL ? given : &none;
    const rblMat3d matrix = {{stress->xx, stress->xy, stress->zx},
                             {stress->xy, stress->yy, stress->yz},
                             {stress->zx, stress->yz, stress->zz}};
    rblVec3d rising;
    rblMat3d axes;
    rbl_eigen_symmetric3d(&matrix, &rising, &axes);
    if (values != NULL)
    {
        *values = rbl_vec3d(rising.z, rising.y, rising.x);
    }
    if (directions != NULL)
    {
        *directions = (rblMat3d){axes.cz, axes.cy, rbl_neg3d(axes.cx)};
    }
}
