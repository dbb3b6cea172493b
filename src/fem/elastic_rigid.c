// Rigid motions, and their removal.
//
// A free part has six. They are orthogonal and have unit mass: translations by 1/sqrt(m), rotations about the
// principal axes by 1/sqrt(I). A supported part keeps the combinations that do not move its fixed nodes.
#include "base/error.h"
#include "fem/dense_eigen.h"
#include "fem/elastic.h"
#include "math/mat3.h"

// A combination of rigid modes violates the supports when its squared motion there is more than this fraction of the sum over
// all six.
#define FIXED_MOTION 1e-10

static rblVec3d mode_at(const rblElastic* elastic, const rblRigidMode* mode, uint32_t node)
{
    const rblVec3d arm = rbl_sub3d(elastic->positions.data[node], elastic->parts.data[mode->part].centre);
    return rbl_add3d(mode->shift, rbl_cross3d(mode->turn, arm));
}

static void find_centres(rblElastic* elastic)
{
    for (uint32_t i = 0; i < elastic->mesh_nodes.count; ++i)
    {
        rblElasticPart* part = &elastic->parts.data[elastic->node_parts.data[i]];
        part->mass += elastic->masses.data[i];
        part->centre = rbl_mul_add3d(part->centre, elastic->masses.data[i], elastic->positions.data[i]);
    }
    for (uint32_t p = 0; p < elastic->parts.count; ++p)
    {
        rblElasticPart* part = &elastic->parts.data[p];
        part->centre = rbl_scale3d(part->centre, 1.0 / part->mass);
    }
}

// Sum of m (r.r 1 - r r^T) of every part.
static void find_inertias(const rblElastic* elastic, rblMat3d* inertias)
{
    for (uint32_t p = 0; p < elastic->parts.count; ++p)
    {
        inertias[p] = (rblMat3d){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    for (uint32_t i = 0; i < elastic->mesh_nodes.count; ++i)
    {
        rblMat3d* inertia = &inertias[elastic->node_parts.data[i]];
        const double mass = elastic->masses.data[i];
        const rblVec3d r =
            rbl_sub3d(elastic->positions.data[i], elastic->parts.data[elastic->node_parts.data[i]].centre);
        const double square = rbl_dot3d(r, r);
        inertia->cx = rbl_add3d(inertia->cx, rbl_vec3d(mass * (square - r.x * r.x), 0.0, 0.0));
        inertia->cy = rbl_add3d(inertia->cy, rbl_vec3d(-mass * r.x * r.y, mass * (square - r.y * r.y), 0.0));
        inertia->cz = rbl_add3d(inertia->cz,
                                rbl_vec3d(-mass * r.x * r.z, -mass * r.y * r.z, mass * (square - r.z * r.z)));
    }
}

static void six_modes(const rblElastic* elastic, uint32_t part, const rblMat3d* inertia,
                      rblRigidMode modes[6])
{
    const double shift = 1.0 / sqrt(elastic->parts.data[part].mass);
    rblVec3d moments;
    rblMat3d axes;
    rbl_eigen_symmetric3d(inertia, &moments, &axes);
    const rblVec3d zero = {0.0, 0.0, 0.0};
    modes[0] = (rblRigidMode){part, rbl_vec3d(shift, 0.0, 0.0), zero};
    modes[1] = (rblRigidMode){part, rbl_vec3d(0.0, shift, 0.0), zero};
    modes[2] = (rblRigidMode){part, rbl_vec3d(0.0, 0.0, shift), zero};
    modes[3] = (rblRigidMode){part, zero, rbl_scale3d(axes.cx, 1.0 / sqrt(moments.x))};
    modes[4] = (rblRigidMode){part, zero, rbl_scale3d(axes.cy, 1.0 / sqrt(moments.y))};
    modes[5] = (rblRigidMode){part, zero, rbl_scale3d(axes.cz, 1.0 / sqrt(moments.z))};
}

// Products of the six modes with each other over the fixed coordinates of a part.
static bool add_held(const rblElastic* elastic, uint32_t part, const rblRigidMode modes[6], double held[36])
{
    bool any = false;
    for (uint32_t i = 0; i < elastic->fixed.count; ++i)
    {
        if (elastic->fixed.data[i] == 0 || elastic->node_parts.data[i] != part)
        {
            continue;
        }
        any = true;
        rblVec3d at[6];
        for (uint32_t r = 0; r < 6; ++r)
        {
            at[r] = mode_at(elastic, &modes[r], i);
            at[r].x = (elastic->fixed.data[i] & 1u) != 0 ? at[r].x : 0.0;
            at[r].y = (elastic->fixed.data[i] & 2u) != 0 ? at[r].y : 0.0;
            at[r].z = (elastic->fixed.data[i] & 4u) != 0 ? at[r].z : 0.0;
        }
        for (uint32_t k = 0; k < 36; ++k)
        {
            held[k] += rbl_dot3d(at[k / 6], at[k % 6]);
        }
    }
    return any;
}

// Keep the modes of one part that its supports allow.
static bool keep_modes(rblElastic* elastic, uint32_t part, const rblMat3d* inertia)
{
    rblRigidMode modes[6];
    double held[36] = {0.0}, values[6] = {0.0}, vectors[36], scratch[12];
    six_modes(elastic, part, inertia, modes);
    elastic->parts.data[part].first_mode = (uint32_t)elastic->modes.count;
    const bool any = add_held(elastic, part, modes, held);
    double all = 0.0;
    for (uint32_t r = 0; r < 6; ++r)
    {
        all += held[7 * r];
    }
    if (any && !rbl_dense_eigen(held, 6, values, vectors, scratch))
    {
        return true; // not finite: the positions are unusable, and the factorisation will report it
    }
    for (uint32_t k = 0; k < 6; ++k)
    {
        rblRigidMode mode = modes[k];
        if (any)
        {
            if (values[k] > FIXED_MOTION * all)
            {
                continue;
            }
            mode = (rblRigidMode){part, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
            for (uint32_t r = 0; r < 6; ++r)
            {
                mode.shift = rbl_mul_add3d(mode.shift, vectors[6 * k + r], modes[r].shift);
                mode.turn = rbl_mul_add3d(mode.turn, vectors[6 * k + r], modes[r].turn);
            }
        }
        if (!rbl_array_push(&elastic->modes, mode))
        {
            return false;
        }
    }
    elastic->parts.data[part].mode_count =
        (uint32_t)elastic->modes.count - elastic->parts.data[part].first_mode;
    return true;
}

rblResult rbl_elastic_find_rigid_modes(rblElastic* elastic)
{
    rblMat3d* inertias = RBL_NEW_ARRAY(elastic->allocator, rblMat3d, elastic->parts.count);
    if (inertias == NULL)
    {
        return rbl_fail_memory();
    }
    find_centres(elastic);
    find_inertias(elastic, inertias);
    bool good = true;
    for (uint32_t p = 0; good && p < elastic->parts.count; ++p)
    {
        good = keep_modes(elastic, p, &inertias[p]);
    }
    RBL_FREE_ARRAY(elastic->allocator, inertias, elastic->parts.count);
    return good ? RBL_OK : rbl_fail_memory();
}

// Sum of vectors, or of masses times vectors, as force and moment about the centre of each part.
static void add_up(const rblElastic* elastic, bool forces, const rblVec3d* x, rblRigidSum* sums)
{
    for (uint32_t p = 0; p < elastic->parts.count; ++p)
    {
        sums[p] = (rblRigidSum){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    for (uint32_t i = 0; i < elastic->mesh_nodes.count; ++i)
    {
        const uint32_t p = elastic->node_parts.data[i];
        const rblVec3d arm = rbl_sub3d(elastic->positions.data[i], elastic->parts.data[p].centre);
        const rblVec3d v = forces ? x[i] : rbl_scale3d(x[i], elastic->masses.data[i]);
        sums[p].shift = rbl_add3d(sums[p].shift, v);
        sums[p].turn = rbl_add3d(sums[p].turn, rbl_cross3d(arm, v));
    }
}

// The motion of each part: the sum of phi (phi . v) over its modes phi, which have unit mass and are orthogonal.
static void find_motions(const rblElastic* elastic, rblRigidSum* sums)
{
    for (uint32_t p = 0; p < elastic->parts.count; ++p)
    {
        const rblElasticPart* part = &elastic->parts.data[p];
        rblRigidSum motion = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (uint32_t k = 0; k < part->mode_count; ++k)
        {
            const rblRigidMode* mode = &elastic->modes.data[part->first_mode + k];
            const double share = rbl_dot3d(mode->shift, sums[p].shift) + rbl_dot3d(mode->turn, sums[p].turn);
            motion.shift = rbl_mul_add3d(motion.shift, share, mode->shift);
            motion.turn = rbl_mul_add3d(motion.turn, share, mode->turn);
        }
        sums[p] = motion;
    }
}

static void take_out(const rblElastic* elastic, bool forces, rblVec3d* x, rblRigidSum* sums)
{
    if (elastic->modes.count == 0)
    {
        return;
    }
    add_up(elastic, forces, x, sums);
    find_motions(elastic, sums);
    for (uint32_t i = 0; i < elastic->mesh_nodes.count; ++i)
    {
        const uint32_t p = elastic->node_parts.data[i];
        const rblVec3d arm = rbl_sub3d(elastic->positions.data[i], elastic->parts.data[p].centre);
        const rblVec3d motion = rbl_add3d(sums[p].shift, rbl_cross3d(sums[p].turn, arm));
        x[i] = rbl_mul_add3d(x[i], forces ? -elastic->masses.data[i] : -1.0, motion);
    }
}

void rbl_elastic_still(const rblElastic* elastic, rblVec3d* displacements, rblRigidSum* sums)
{
    take_out(elastic, false, displacements, sums);
}

void rbl_elastic_relieve(const rblElastic* elastic, rblVec3d* forces, rblRigidSum* sums)
{
    take_out(elastic, true, forces, sums);
}

void rbl_elastic_mask(const rblElastic* elastic, rblVec3d* x)
{
    for (uint32_t i = 0; i < elastic->fixed.count; ++i)
    {
        const uint32_t axes = elastic->fixed.data[i];
        x[i].x = (axes & 1u) != 0 ? 0.0 : x[i].x;
        x[i].y = (axes & 2u) != 0 ? 0.0 : x[i].y;
        x[i].z = (axes & 4u) != 0 ? 0.0 : x[i].z;
    }
}
