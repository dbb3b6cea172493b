#include "base/error.h"
#include "bvh/query/winding.h"
#include "math/aabb.h"
#include "math/trig.h"
#include <string.h>

// Groups of nodes per job, at least: enough work to pay for the start of a job.
#define MIN_GROUPS 64

void rbl_winding_init(rblWinding* winding, const rblAllocator* allocator)
{
    *winding = (rblWinding){.allocator = allocator};
}

void rbl_winding_free(rblWinding* winding)
{
    RBL_FREE_ARRAY(winding->allocator, winding->groups, winding->group_capacity);
    rbl_winding_init(winding, winding->allocator);
}

// One node or triangle, in scaled units.
typedef struct Moments
{
    rblVec3d center, dipole;
    double spread[6]; // C: xx, yy, zz, xy, xz, yz
    double area;
} Moments;

// sum += weight * v v^T
static void add_square(double sum[6], double weight, rblVec3d v)
{
    sum[0] += weight * v.x * v.x;
    sum[1] += weight * v.y * v.y;
    sum[2] += weight * v.z * v.z;
    sum[3] += weight * v.x * v.y;
    sum[4] += weight * v.x * v.z;
    sum[5] += weight * v.y * v.z;
}

static rblVec3d scaled(rblVec3 p, double scale)
{
    return rbl_scale3d(rbl_to_double3(p), scale);
}

static Moments triangle_moments(const rblLeafTriangle* t, double scale)
{
    const rblVec3d a = scaled(t->a, scale);
    const rblVec3d b = scaled(t->b, scale);
    const rblVec3d c = scaled(t->c, scale);
    const rblVec3d twice = rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a));
    Moments m = {.center = rbl_scale3d(rbl_add3d(rbl_add3d(a, b), c), 1.0 / 3.0),
                 .dipole = rbl_scale3d(twice, 1.0 / (8.0 * RBL_PI)),
                 .area = 0.5 * rbl_length3d(twice)};
    add_square(m.spread, 1.0 / 12.0, rbl_sub3d(a, m.center));
    add_square(m.spread, 1.0 / 12.0, rbl_sub3d(b, m.center));
    add_square(m.spread, 1.0 / 12.0, rbl_sub3d(c, m.center));
    return m;
}

// tr K = 3 tr C, so C can be computed from K.
static Moments group_moments(const rblWindingGroup* g, uint32_t lane)
{
    Moments m = {
        .center = {(double)g->center[0][lane], (double)g->center[1][lane], (double)g->center[2][lane]},
        .dipole = {(double)g->dipole[0][lane], (double)g->dipole[1][lane], (double)g->dipole[2][lane]},
        .area = (double)g->area[lane]};
    double k[6];
    for (int i = 0; i < 6; ++i)
    {
        k[i] = (double)g->spread[i][lane];
    }
    const double trace = (k[0] + k[1] + k[2]) / 3.0;
    for (int i = 0; i < 6; ++i)
    {
        m.spread[i] = i < 3 ? k[i] / 7.5 + trace / 5.0 : k[i] / 15.0;
    }
    return m;
}

static void add_child(Moments* sum, const Moments* child)
{
    const double share = sum->area > 0.0 ? child->area / sum->area : 0.0;
    sum->dipole = rbl_add3d(sum->dipole, child->dipole);
    add_square(sum->spread, share, rbl_sub3d(child->center, sum->center));
    for (int i = 0; i < 6; ++i)
    {
        sum->spread[i] += share * child->spread[i];
    }
}

// The centre is the mean of the centres of the children, weighted by area; without area it is the centre of the box.
static Moments join_moments(const Moments* children, uint32_t count, rblVec3d box_center)
{
    Moments sum = {.area = 0.0};
    for (uint32_t i = 0; i < count; ++i)
    {
        sum.center = rbl_mul_add3d(sum.center, children[i].area, children[i].center);
        sum.area += children[i].area;
    }
    sum.center = sum.area > 0.0 ? rbl_scale3d(sum.center, 1.0 / sum.area) : box_center;
    // Round the centre as it will be stored, so that the moments are about exactly that point.
    sum.center = rbl_to_double3(rbl_to_float3(sum.center));
    for (uint32_t i = 0; i < count; ++i)
    {
        add_child(&sum, &children[i]);
    }
    return sum;
}

// The squared distance to the farthest corner of the box of the node.
static double radius2_of(const rblAabb* box, rblVec3d center, double scale)
{
    const rblVec3d below = rbl_sub3d(center, scaled(box->lower, scale));
    const rblVec3d above = rbl_sub3d(scaled(box->upper, scale), center);
    const rblVec3d farthest = rbl_max3d(below, above);
    return rbl_dot3d(farthest, farthest) * 1.000001;
}

static void store_moments(rblWindingGroup* g, uint32_t lane, const Moments* m, double radius2)
{
    g->center[0][lane] = (float)m->center.x;
    g->center[1][lane] = (float)m->center.y;
    g->center[2][lane] = (float)m->center.z;
    g->dipole[0][lane] = (float)m->dipole.x;
    g->dipole[1][lane] = (float)m->dipole.y;
    g->dipole[2][lane] = (float)m->dipole.z;
    const double trace = m->spread[0] + m->spread[1] + m->spread[2];
    for (int i = 0; i < 6; ++i)
    {
        g->spread[i][lane] = (float)(i < 3 ? 7.5 * (m->spread[i] - trace / 5.0) : 15.0 * m->spread[i]);
    }
    g->radius2[lane] = (float)radius2;
    g->area[lane] = (float)m->area;
}

typedef struct LevelFill
{
    rblWinding* winding;
    const rblBvh* bvh;
    uint32_t level;
} LevelFill;

// The grandchildren of a node; returns their number.
static uint32_t gather_children(const LevelFill* fill, uint32_t position, Moments children[4])
{
    const uint32_t below = fill->level + 2;
    const uint32_t first = 4 * position;
    const uint32_t real = rbl_tree_real_on_level(&fill->bvh->layout, below) - first;
    const uint32_t count = real < 4 ? real : 4;
    const bool leaves = below == fill->bvh->layout.leaf_level;
    for (uint32_t i = 0; i < count; ++i)
    {
        children[i] =
            leaves ? triangle_moments(&fill->bvh->triangles[first + i], (double)fill->winding->scale)
                   : group_moments(&fill->winding->groups[fill->winding->group_starts[below] + position], i);
    }
    return count;
}

static void fill_groups(rblRange range, void* context)
{
    const LevelFill* fill = context;
    const double scale = (double)fill->winding->scale;
    const uint32_t real = rbl_tree_real_on_level(&fill->bvh->layout, fill->level);
    const rblAabb* boxes = fill->bvh->nodes + fill->bvh->level_starts[fill->level];
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblWindingGroup* g = &fill->winding->groups[fill->winding->group_starts[fill->level] + i];
        memset(g, 0, sizeof *g);
        for (uint32_t lane = 0; lane < 4; ++lane)
        {
            const uint32_t position = 4 * i + lane;
            if (position >= real)
            {
                g->radius2[lane] = INFINITY;
                continue;
            }
            Moments children[4];
            const uint32_t count = gather_children(fill, position, children);
            const rblVec3d middle = rbl_scale3d(rbl_to_double3(rbl_aabb_center(boxes[position])), scale);
            const Moments sum = join_moments(children, count, middle);
            store_moments(g, lane, &sum, radius2_of(&boxes[position], sum.center, scale));
        }
    }
}

// A power of two that scales the longest side of the box to between 1/2 and 1, within the range of floats.
static float scale_of(const rblAabb* box)
{
    const rblVec3d size = rbl_sub3d(rbl_to_double3(box->upper), rbl_to_double3(box->lower));
    const double longest = rbl_maxd(size.x, rbl_maxd(size.y, size.z));
    double scale = 1.0;
    for (int i = 0; i < 120 && longest * scale > 1.0; ++i)
    {
        scale *= 0.5;
    }
    for (int i = 0; i < 120 && longest > 0.0 && longest * scale < 0.5; ++i)
    {
        scale *= 2.0;
    }
    return (float)scale;
}

// The first group of each level with moments: every second level upwards from the leaves, without the root.
static uint32_t plan_groups(rblWinding* winding, const rblTreeLayout* layout)
{
    uint32_t count = 0;
    for (uint32_t level = layout->leaf_level; level > 2;)
    {
        level -= 2;
        winding->group_starts[level] = count;
        count += (rbl_tree_real_on_level(layout, level) + 3) / 4;
    }
    return count;
}

// The level that was filled last is the highest: its first group covers the whole tree.
static void measure_whole(rblWinding* winding, const rblBvh* bvh, uint32_t top)
{
    const double scale = (double)winding->scale;
    const bool leaves = top == bvh->layout.leaf_level;
    rblVec3d dipole = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < rbl_tree_real_on_level(&bvh->layout, top); ++i)
    {
        const Moments m = leaves ? triangle_moments(&bvh->triangles[i], scale)
                                 : group_moments(&winding->groups[winding->group_starts[top]], i);
        dipole = rbl_add3d(dipole, m.dipole);
    }
    winding->dipole = rbl_scale3d(dipole, 1.0 / scale / scale);
    winding->center = rbl_to_double3(rbl_aabb_center(bvh->nodes[0]));
    winding->radius = sqrt(radius2_of(&bvh->nodes[0], winding->center, 1.0));
}

rblResult rbl_winding_build(rblWinding* winding, const rblBvh* bvh, rblJobs* jobs)
{
    winding->group_count = 0;
    if (bvh->layout.leaves == 0)
    {
        return RBL_OK;
    }
    const uint32_t count = plan_groups(winding, &bvh->layout);
    if (winding->group_capacity < count)
    {
        rbl_winding_free(winding);
        winding->groups = RBL_NEW_ARRAY(winding->allocator, rblWindingGroup, count);
        if (winding->groups == NULL)
        {
            return rbl_fail_memory();
        }
        winding->group_capacity = count;
        plan_groups(winding, &bvh->layout);
    }
    winding->group_count = count;
    winding->scale = scale_of(&bvh->nodes[0]);
    uint32_t level = bvh->layout.leaf_level;
    while (level > 2)
    {
        level -= 2;
        LevelFill fill = {winding, bvh, level};
        const uint32_t groups = (rbl_tree_real_on_level(&bvh->layout, level) + 3) / 4;
        rbl_parallel_for(jobs, groups, MIN_GROUPS, fill_groups, &fill);
    }
    measure_whole(winding, bvh, level);
    return RBL_OK;
}
