// Mass properties by the divergence theorem: a closed surface is the signed sum of the tetrahedra that its triangles
// span with any fixed point, and polynomials integrate over a tetrahedron in closed form (Tonon 2004, "Explicit exact
// formulas for the 3-D tetrahedron inertia tensor in terms of its vertex coordinates"). With one corner at the
// origin, the others a, b, c, s = a + b + c and d = a . (b x c), six times the signed volume:
//   integral of 1     = d / 6
//   integral of x     = d / 24 * s
//   integral of x x^T = d / 120 * (s s^T + a a^T + b b^T + c c^T)
// Two passes: the first, about the middle of the bounds, finds the centre of mass; the second is about that centre,
// so that nothing large has to cancel in the inertia. Sums are compensated (Neumaier 1974), in block order.
#include "mesh/mass.h"

#include "base/error.h"
#include "base/jobs.h"
#include "math/mat3.h"
#include "math/vec.h"
#include "mesh/topology.h"
#include <float.h>

enum
{
    SUM_VOLUME,
    SUM_X,
    SUM_Y,
    SUM_Z,
    SUM_XX,
    SUM_YY,
    SUM_ZZ,
    SUM_XY,
    SUM_XZ,
    SUM_YZ,
    SUM_SIZE, // of the absolute products in d: bounds the rounding error of the volume
    SUM_COUNT
};

// Ratio of the smallest to the largest principal moment below which the smallest one is computed separately. At this
// ratio the rounding of the matrix costs it about 10 of 53 bits.
#define NEEDLE 0x1p-10

typedef struct Sums
{
    double value[SUM_COUNT];
    double lost[SUM_COUNT]; // what rounding removed from `value`
} Sums;

// Integrals over the solid, about some origin.
typedef struct Moments
{
    double volume;
    double volume_error; // bound of the rounding error of the volume
    rblVec3d first;
    double xx, yy, zz, xy, xz, yz;
} Moments;

typedef struct MomentJob
{
    const rblMeshView* view;
    const uint32_t* corners; // three per triangle
    rblVec3d origin;
    const rblMat3d* axes; // unit columns, the axes of the coordinates; null: the axes of the mesh
    Sums* partial;        // one per block
} MomentJob;

static void add_compensated(Sums* sums, const double terms[SUM_COUNT])
{
    for (int i = 0; i < SUM_COUNT; ++i)
    {
        const double sum = sums->value[i] + terms[i];
        const double added = sum - sums->value[i];
        sums->lost[i] += (sums->value[i] - (sum - added)) + (terms[i] - added);
        sums->value[i] = sum;
    }
}

static double product_sum(double s1, double s2, double a1, double a2, double b1, double b2, double c1,
                          double c2)
{
    return s1 * s2 + (a1 * a2 + b1 * b2 + c1 * c2);
}

// The sum of the absolute products in a . (e x f).
static double triple_size(rblVec3d a, rblVec3d e, rblVec3d f)
{
    return fabs(a.x) * (fabs(e.y * f.z) + fabs(e.z * f.y)) + fabs(a.y) * (fabs(e.z * f.x) + fabs(e.x * f.z)) +
           fabs(a.z) * (fabs(e.x * f.y) + fabs(e.y * f.x));
}

// The three integrals above without their constant factors.
static void tetrahedron_terms(rblVec3d a, rblVec3d b, rblVec3d c, double terms[SUM_COUNT])
{
    // a . (b x c) = a . ((b - a) x (c - a)): the differences are nearly exact where b x c would cancel.
    const rblVec3d e = rbl_sub3d(b, a);
    const rblVec3d f = rbl_sub3d(c, a);
    const double d = rbl_dot3d(a, rbl_cross3d(e, f));
    const rblVec3d s = rbl_add3d(rbl_add3d(a, b), c);
    terms[SUM_VOLUME] = d;
    terms[SUM_X] = d * s.x;
    terms[SUM_Y] = d * s.y;
    terms[SUM_Z] = d * s.z;
    terms[SUM_XX] = d * product_sum(s.x, s.x, a.x, a.x, b.x, b.x, c.x, c.x);
    terms[SUM_YY] = d * product_sum(s.y, s.y, a.y, a.y, b.y, b.y, c.y, c.y);
    terms[SUM_ZZ] = d * product_sum(s.z, s.z, a.z, a.z, b.z, b.z, c.z, c.z);
    terms[SUM_XY] = d * product_sum(s.x, s.y, a.x, a.y, b.x, b.y, c.x, c.y);
    terms[SUM_XZ] = d * product_sum(s.x, s.z, a.x, a.z, b.x, b.z, c.x, c.z);
    terms[SUM_YZ] = d * product_sum(s.y, s.z, a.y, a.z, b.y, b.z, c.y, c.z);
    terms[SUM_SIZE] = triple_size(a, e, f);
}

static rblVec3d corner_position(const MomentJob* job, size_t index)
{
    const uint32_t vertex = job->view->corner_vertices[job->corners[index]];
    const rblVec3d p = rbl_sub3d(job->view->positions[vertex], job->origin);
    return job->axes == NULL ? p : rbl_mat3d_apply_transposed(job->axes, p);
}

static double length_squared(rblVec3d a)
{
    return rbl_dot3d(a, a);
}

// The corners of a triangle, starting with the one opposite the longest side. The rounding error of d grows with the
// product of the two sides that meet at the first corner, and on a needle this choice makes it far smaller.
static void triangle_corners(const MomentJob* job, uint32_t triangle, rblVec3d out[3])
{
    rblVec3d p[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        p[i] = corner_position(job, 3 * (size_t)triangle + i);
    }
    const double opposite[3] = {length_squared(rbl_sub3d(p[1], p[2])), length_squared(rbl_sub3d(p[2], p[0])),
                                length_squared(rbl_sub3d(p[0], p[1]))};
    uint32_t first = opposite[1] > opposite[0] ? 1 : 0;
    first = opposite[2] > opposite[first] ? 2 : first;
    for (uint32_t i = 0; i < 3; ++i)
    {
        out[i] = p[(first + i) % 3];
    }
}

static void sum_block(rblRange range, void* context)
{
    const MomentJob* job = context;
    Sums sums = {0};
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblVec3d p[3];
        double terms[SUM_COUNT];
        triangle_corners(job, i, p);
        tetrahedron_terms(p[0], p[1], p[2], terms);
        add_compensated(&sums, terms);
    }
    job->partial[range.block] = sums;
}

static Moments sum_moments(const rblMeshView* view, const rblIndexArray* corners, rblVec3d origin,
                           const rblMat3d* axes)
{
    const uint32_t triangles = (uint32_t)(corners->count / 3);
    const uint32_t min_range = 4096;
    Sums partial[RBL_MAX_BLOCKS];
    MomentJob job = {view, corners->data, origin, axes, partial};
    rbl_parallel_for(rbl_default_jobs(), triangles, min_range, sum_block, &job);

    Sums total = {0};
    const uint32_t blocks = rbl_block_count(triangles, min_range);
    for (uint32_t i = 0; i < blocks; ++i)
    {
        add_compensated(&total, partial[i].value);
        add_compensated(&total, partial[i].lost);
    }
    double sum[SUM_COUNT];
    for (int i = 0; i < SUM_COUNT; ++i)
    {
        sum[i] = total.value[i] + total.lost[i];
    }
    return (Moments){
        .volume = sum[SUM_VOLUME] / 6.0,
        .volume_error = 8.0 * DBL_EPSILON * sum[SUM_SIZE] / 6.0,
        .first = {sum[SUM_X] / 24.0, sum[SUM_Y] / 24.0, sum[SUM_Z] / 24.0},
        .xx = sum[SUM_XX] / 120.0,
        .yy = sum[SUM_YY] / 120.0,
        .zz = sum[SUM_ZZ] / 120.0,
        .xy = sum[SUM_XY] / 120.0,
        .xz = sum[SUM_XZ] / 120.0,
        .yz = sum[SUM_YZ] / 120.0,
    };
}

static rblResult check_volume(const Moments* moments)
{
    const double parts[] = {moments->first.x, moments->first.y, moments->first.z, moments->xx, moments->yy,
                            moments->zz,      moments->xy,      moments->xz,      moments->yz};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    {
        if (!rbl_finite(parts[i]) || !rbl_finite(moments->volume))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "mass: the integrals overflow; the coordinates are too large");
        }
    }
    if (moments->volume < -moments->volume_error)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "mass: the volume is negative, must be positive; flip the faces");
    }
    if (!(moments->volume > moments->volume_error))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "mass: the volume is zero or below rounding errors, must be positive");
    }
    return RBL_OK;
}

// Inertia of unit density about the point `r`, relative to the origin of the moments (parallel axis theorem).
static rblMat3d inertia_about(const Moments* m, rblVec3d r)
{
    const double xx = m->xx - m->volume * r.x * r.x;
    const double yy = m->yy - m->volume * r.y * r.y;
    const double zz = m->zz - m->volume * r.z * r.z;
    const double xy = m->xy - m->volume * r.x * r.y;
    const double xz = m->xz - m->volume * r.x * r.z;
    const double yz = m->yz - m->volume * r.y * r.z;
    return (rblMat3d){{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}};
}

// The smallest principal moment of a needle is lost in the rounding errors of the larger entries of the matrix. In
// coordinates along the principal axes it is computed from small terms only.
static double smallest_moment(const rblMeshView* view, const rblIndexArray* corners,
                              const rblMassProperties* properties, double density)
{
    const Moments moments = sum_moments(view, corners, properties->center, &properties->principal_axes);
    const rblVec3d rest = rbl_scale3d(moments.first, 1.0 / moments.volume);
    return density * inertia_about(&moments, rest).cx.x;
}

static rblResult fill_principal(const rblMeshView* view, const rblIndexArray* corners, double density,
                                rblMassProperties* properties)
{
    rbl_eigen_symmetric3d(&properties->inertia, &properties->moments, &properties->principal_axes);
    if (properties->moments.x < NEEDLE * properties->moments.z)
    {
        properties->moments.x = smallest_moment(view, corners, properties, density);
    }
    if (!(properties->mass > 0.0) || !(properties->moments.x > 0.0))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "mass: mass or inertia underflow; the mesh is too small, too thin or too light");
    }
    return RBL_OK;
}

static rblResult integrate(const rblMeshView* view, const rblIndexArray* corners, double density,
                           rblMassProperties* out)
{
    const rblAabbd bounds = rbl_mesh_bounds(view);
    const rblVec3d middle = rbl_lerp3d(bounds.lower, bounds.upper, 0.5);
    const Moments about_middle = sum_moments(view, corners, middle, NULL);
    RBL_TRY(check_volume(&about_middle));
    const rblVec3d origin = rbl_mul_add3d(middle, 1.0 / about_middle.volume, about_middle.first);

    const Moments moments = sum_moments(view, corners, origin, NULL);
    RBL_TRY(check_volume(&moments));
    const rblVec3d rest = rbl_scale3d(moments.first, 1.0 / moments.volume);
    const rblMat3d unit_inertia = inertia_about(&moments, rest);
    rblMassProperties properties = {
        .volume = moments.volume,
        .mass = density * moments.volume,
        .center = rbl_add3d(origin, rest),
        .inertia = rbl_mat3d_scale(&unit_inertia, density),
    };
    if (!rbl_finite(properties.mass) || !rbl_finite3d(properties.center) ||
        !rbl_finite_mat3d(&properties.inertia))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "mass: mass or inertia overflow; coordinates or density are too large");
    }
    RBL_TRY(fill_principal(view, corners, density, &properties));
    *out = properties;
    return RBL_OK;
}

static rblResult check_edges(const rblTopology* topology)
{
    for (uint32_t c = 0; c < topology->view->corner_count; ++c)
    {
        const uint32_t a = topology->view->corner_vertices[c];
        const uint32_t b = topology->view->corner_vertices[rbl_next_corner(topology, c)];
        const char* defect = NULL;
        if (topology->twins[c] == RBL_BOUNDARY)
        {
            defect = "has one face: the mesh is not closed";
        }
        else if (topology->twins[c] == RBL_NON_MANIFOLD)
        {
            defect = "has more than two faces: the mesh is not manifold";
        }
        else if (rbl_same_direction(topology, c))
        {
            defect = "has faces that run the same way: the mesh is not oriented";
        }
        if (defect != NULL)
        {
            return rbl_fail(RBL_ERROR_GEOMETRY, "mass: the edge from vertex %u to %u %s", a, b, defect);
        }
    }
    return RBL_OK;
}

static rblResult check_closed(const rblMeshView* view, const rblAllocator* allocator)
{
    rblTopology topology;
    RBL_TRY(rbl_topology_init(&topology, view, allocator));
    const rblResult result = check_edges(&topology);
    rbl_topology_free(&topology);
    return result;
}

rblResult rbl_mass_properties(const rblMeshView* view, double density, const rblAllocator* allocator,
                              rblMassProperties* out)
{
    if (!(density > 0.0) || !rbl_finite(density))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mass: the density is %g, must be positive and finite", density);
    }
    RBL_TRY(check_closed(view, allocator));
    rblIndexArray corners;
    rbl_array_init(&corners, allocator);
    rblResult result = rbl_triangulate_corners(view, &corners, NULL);
    if (result == RBL_OK)
    {
        result = integrate(view, &corners, density, out);
    }
    rbl_array_free(&corners);
    return result;
}

rblResult rbl_mesh_mass_properties(rblMeshId id, double density, rblMassProperties* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mass: out must not be null");
    }
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    const rblResult result =
        rbl_mass_properties(rbl_mesh_get_view(mesh), density, rbl_default_allocator(), out);
    rbl_mesh_release(mesh);
    return result;
}
