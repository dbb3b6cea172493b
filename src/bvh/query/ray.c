#include "bvh/query/ray.h"

#include "bvh/leaves.h"
#include "bvh/node_stack.h"
#include "bvh/query/ray_tree_trace.h"
#include "bvh/triangle/triangle_filter.h"
#include "math/vec.h"

// ---- four triangles ----

// The numbers of a sheared ray in all lanes.
typedef struct ShearedRay4
{
    rblFloat4 origin[3]; // along kx, ky, kz
    rblFloat4 sx, sy;
} ShearedRay4;

static ShearedRay4 widen_ray(const rblShearedRay* ray)
{
    return (ShearedRay4){{rbl_splat4(ray->origin[ray->kx]), rbl_splat4(ray->origin[ray->ky]),
                          rbl_splat4(ray->origin[ray->kz])},
                         rbl_splat4(ray->sx),
                         rbl_splat4(ray->sy)};
}

typedef struct Flat4
{
    rblFloat4 x, y;
} Flat4;

// shear_corner() of four corners.
static inline Flat4 shear_corner4(const ShearedRay4* ray, rblFloat4 x, rblFloat4 y, rblFloat4 z)
{
    const rblFloat4 depth = rbl_sub4(z, ray->origin[2]);
    return (Flat4){rbl_sub4(rbl_sub4(x, ray->origin[0]), rbl_mul4(ray->sx, depth)),
                   rbl_sub4(rbl_sub4(y, ray->origin[1]), rbl_mul4(ray->sy, depth))};
}

// The triangles of four that rbl_ray_hits_triangle() does not reject by their edges. Rounding is monotonic: an edge
// function that is not 0 in 32 bits has the right sign, and two of opposite signs reject in 64 bits too.
static inline uint32_t near_triangles(const rblShearedRay* ray, const ShearedRay4* wide,
                                      const rblLeafTriangle* const triangles[4])
{
    const rblTriangle4 t = rbl_load_triangles4(triangles);
    const rblFloat4 corners[3][3] = {{t.a.x, t.a.y, t.a.z}, {t.b.x, t.b.y, t.b.z}, {t.c.x, t.c.y, t.c.z}};
    const Flat4 a = shear_corner4(wide, corners[0][ray->kx], corners[0][ray->ky], corners[0][ray->kz]);
    const Flat4 b = shear_corner4(wide, corners[1][ray->kx], corners[1][ray->ky], corners[1][ray->kz]);
    const Flat4 c = shear_corner4(wide, corners[2][ray->kx], corners[2][ray->ky], corners[2][ray->kz]);
    const rblFloat4 u = rbl_sub4(rbl_mul4(c.x, b.y), rbl_mul4(c.y, b.x));
    const rblFloat4 v = rbl_sub4(rbl_mul4(a.x, c.y), rbl_mul4(a.y, c.x));
    const rblFloat4 s = rbl_sub4(rbl_mul4(b.x, a.y), rbl_mul4(b.y, a.x));
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 least = rbl_min4(u, rbl_min4(v, s));
    const rblFloat4 most = rbl_max4(u, rbl_max4(v, s));
    return 15u & ~rbl_mask4(rbl_and4(rbl_less4(least, zero), rbl_less4(zero, most)));
}

// ---- traversal ----

// Largest inverse of a direction: just below FLT_MAX, so that products with 0 are 0 and not NaN.
#define LARGEST_INVERSE 3e38f

// The sheared coordinates of the triangle test have an error of a few ulps of the largest distance in them. Boxes are
// enlarged by this error, by an ulp of the origin, and by the steps of the smallest floats. Where a ray hardly moves
// along an axis its inverse is clamped: inside a box, whose sides are then at least the margin away, the ray still stays
// longer than to the far end of the tree.
static void prepare_axis(float origin, float direction, float largest, uint32_t axis, rblBoxRay* out)
{
    const float margin = 5e-7f * largest + 1.2e-7f * fabsf(origin) + 1e-44f;
    const float inverse = direction == 0.0f ? LARGEST_INVERSE : 1.0f / direction;
    out->above[axis] = origin + margin;
    out->below[axis] = origin - margin;
    out->inverse[axis] = rbl_maxf(rbl_minf(inverse, LARGEST_INVERSE), -LARGEST_INVERSE);
}

static float farthest(const rblAabb* box, rblVec3 p)
{
    const rblVec3 below = rbl_sub3(p, box->lower);
    const rblVec3 above = rbl_sub3(box->upper, p);
    const rblVec3 most = rbl_max3(below, above);
    return rbl_maxf(most.x, rbl_maxf(most.y, most.z));
}

static rblBoxRay prepare_box_ray(const rblBvh* bvh, const rblRay* ray)
{
    const float largest = farthest(&bvh->nodes[0], ray->origin);
    rblBoxRay out;
    prepare_axis(ray->origin.x, ray->direction.x, largest, 0, &out);
    prepare_axis(ray->origin.y, ray->direction.y, largest, 1, &out);
    prepare_axis(ray->origin.z, ray->direction.z, largest, 2, &out);
    return out;
}

// The same in all lanes.
typedef struct BoxRay4
{
    rblFloat4 above[3];
    rblFloat4 below[3];
    rblFloat4 inverse[3];
} BoxRay4;

static BoxRay4 widen_box_ray(const rblBoxRay* ray)
{
    BoxRay4 wide;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        wide.above[axis] = rbl_splat4(ray->above[axis]);
        wide.below[axis] = rbl_splat4(ray->below[axis]);
        wide.inverse[axis] = rbl_splat4(ray->inverse[axis]);
    }
    return wide;
}

// Data of one ray during the traversal.
typedef struct Tracing
{
    const rblBvh* bvh;
    rblShearedRay sheared;
    ShearedRay4 wide;
    float t_min;
    bool any;
} Tracing;

// Which of four boxes the ray enters before t_max, and where.
static inline uint32_t hit_boxes(const BoxRay4* ray, const rblBoxGroup* g, float t_min, float t_max,
                                 float enter[4])
{
    const rblFloat4 lx = rbl_mul4(rbl_sub4(g->lower_x, ray->above[0]), ray->inverse[0]);
    const rblFloat4 ly = rbl_mul4(rbl_sub4(g->lower_y, ray->above[1]), ray->inverse[1]);
    const rblFloat4 lz = rbl_mul4(rbl_sub4(g->lower_z, ray->above[2]), ray->inverse[2]);
    const rblFloat4 ux = rbl_mul4(rbl_sub4(g->upper_x, ray->below[0]), ray->inverse[0]);
    const rblFloat4 uy = rbl_mul4(rbl_sub4(g->upper_y, ray->below[1]), ray->inverse[1]);
    const rblFloat4 uz = rbl_mul4(rbl_sub4(g->upper_z, ray->below[2]), ray->inverse[2]);
    const rblFloat4 near_xy = rbl_max4(rbl_min4(lx, ux), rbl_min4(ly, uy));
    const rblFloat4 far_xy = rbl_min4(rbl_max4(lx, ux), rbl_max4(ly, uy));
    const rblFloat4 t0 = rbl_max4(near_xy, rbl_max4(rbl_min4(lz, uz), rbl_splat4(t_min)));
    const rblFloat4 t1 = rbl_min4(far_xy, rbl_min4(rbl_max4(lz, uz), rbl_splat4(t_max)));
    rbl_store4(enter, rbl_max4(t0, rbl_splat4(0.0f))); // keys on the stack are not negative
    return rbl_mask4(rbl_less_equal4(t0, t1));
}

// Test the leaves from `first` on, up to four. Their boxes are not tested: four triangles are in fewer cache lines than
// four boxes and the triangles of those that are hit. True as soon as `any` is satisfied.
static inline bool hit_leaves(const Tracing* tracing, uint32_t first, uint32_t count, rblRayHit* best)
{
    const rblBvh* bvh = tracing->bvh;
    const rblLeafTriangle* triangles[4];
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        triangles[lane] = &bvh->triangles[first + (lane < count ? lane : count - 1)];
    }
    uint32_t mask = near_triangles(&tracing->sheared, &tracing->wide, triangles) & ((1u << count) - 1);
    for (; mask != 0; mask &= mask - 1)
    {
        const uint32_t leaf = first + rbl_lowest_bit(mask);
        rblRayHit hit;
        if (!rbl_ray_hits_triangle(&tracing->sheared, &bvh->triangles[leaf], tracing->t_min, best->t, &hit))
        {
            continue;
        }
        // With equal t the lower triangle wins, for every order of traversal.
        if (hit.t < best->t || best->leaf == UINT32_MAX || bvh->order[leaf] < bvh->order[best->leaf])
        {
            rbl_prefetch(&bvh->order[leaf]);
            hit.leaf = leaf;
            *best = hit;
        }
        if (tracing->any)
        {
            return true;
        }
    }
    return false;
}

static inline uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline bool trace(const rblBvh* bvh, const rblRay* ray, rblRayHit* best, bool any)
{
    Tracing tracing = {.bvh = bvh, .sheared = rbl_shear_ray(ray), .t_min = ray->t_min, .any = any};
    tracing.wide = widen_ray(&tracing.sheared);
    const rblBoxRay box_ray = prepare_box_ray(bvh, ray);
    const BoxRay4 box_ray4 = widen_box_ray(&box_ray);
    const uint32_t leaf_level = bvh->layout.leaf_level;
    uint64_t stack[RBL_NODE_STACK_SIZE];
    uint32_t size = 0;
    rblNodePosition node = {0, 0};
    *best = (rblRayHit){.t = ray->t_max, .leaf = UINT32_MAX};
    for (;;)
    {
        const uint32_t step = at_most(rbl_group_step(bvh, node.level), leaf_level - node.level);
        const uint32_t level = node.level + step;
        const uint32_t position = node.position << step;
        if (level < leaf_level)
        {
            const rblBoxGroup group = rbl_group_load(&bvh->nodes[bvh->level_starts[level] + position]);
            float enter[4];
            const uint32_t mask = hit_boxes(&box_ray4, &group, ray->t_min, best->t, enter) &
                                  rbl_group_lanes(bvh, level, position, 1u << step);
            if (mask != 0)
            {
                rbl_prefetch_below(bvh, mask, level, position, false);
                node = rbl_push_farther(stack, &size, mask, enter, level, position);
                continue;
            }
        }
        else if (hit_leaves(&tracing, position, at_most(1u << step, bvh->layout.leaves - position), best))
        {
            return true;
        }
        do
        {
            if (size == 0)
            {
                return best->leaf != UINT32_MAX;
            }
            size -= 1;
        } while (rbl_entry_key(stack[size]) > rbl_maxf(best->t, 0.0f));
        node = rbl_entry_place(stack[size]);
    }
}

static bool valid_ray(const rblRay* ray)
{
    const rblVec3 d = ray->direction;
    return rbl_finite3(ray->origin) && rbl_finite3(d) && (d.x != 0.0f || d.y != 0.0f || d.z != 0.0f) &&
           ray->t_min <= ray->t_max && rbl_finite((double)ray->t_min);
}

// Scale a very short or long direction by a power of two; t is then in units of `factor`.
static rblRay scale_ray(const rblRay* ray, float* factor)
{
    const float big = 1152921504606846976.0f; // 2^60
    rblRay scaled = *ray;
    *factor = 1.0f;
    float longest =
        rbl_maxf(fabsf(ray->direction.x), rbl_maxf(fabsf(ray->direction.y), fabsf(ray->direction.z)));
    while (longest > big || longest < 1.0f / big)
    {
        const float step = longest > big ? 1.0f / big : big;
        scaled.direction = rbl_scale3(scaled.direction, step);
        scaled.t_min /= step;
        scaled.t_max /= step;
        longest *= step;
        *factor *= step;
    }
    return scaled;
}

// ---- the ray tree ----

static void prepare_trace(rblRayTrace* trace, const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray)
{
    const rblBoxRay box_ray = prepare_box_ray(bvh, ray);
    trace->nodes = rays->nodes;
    trace->blocks = rays->blocks;
    trace->order = bvh->order;
    trace->sheared = rbl_shear_ray(ray);
    trace->t_min = ray->t_min;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        const bool backwards = box_ray.inverse[axis] < 0.0f;
        trace->inverse[axis] = box_ray.inverse[axis];
        trace->enter_from[axis] = backwards ? box_ray.below[axis] : box_ray.above[axis];
        trace->leave_from[axis] = backwards ? box_ray.above[axis] : box_ray.below[axis];
        const size_t lower = axis * sizeof rays->nodes->side[0];
        const size_t upper = lower + 3 * sizeof rays->nodes->side[0];
        trace->enter_side[axis] = backwards ? upper : lower;
        trace->leave_side[axis] = backwards ? lower : upper;
    }
}

static bool trace_either(const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray, rblRayHit* best,
                         bool any)
{
    if (rays == NULL || rays->node_count == 0)
    {
        return trace(bvh, ray, best, any);
    }
    rblRayTrace wide;
    prepare_trace(&wide, bvh, rays, ray);
    *best = (rblRayHit){.t = ray->t_max, .leaf = UINT32_MAX};
    return rays->path == RBL_RAY_AVX2 ? rbl_ray_trace_avx2(&wide, best, any)
                                      : rbl_ray_trace_portable(&wide, best, any);
}

bool rbl_ray_tree_closest(const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray, rblRayHit* hit)
{
    if (bvh->layout.leaves == 0 || !valid_ray(ray))
    {
        return false;
    }
    float factor;
    const rblRay scaled = scale_ray(ray, &factor);
    rblRayHit best;
    if (!trace_either(bvh, rays, &scaled, &best, false))
    {
        return false;
    }
    best.t *= factor;
    best.triangle = bvh->order[best.leaf];
    *hit = best;
    return true;
}

bool rbl_ray_tree_any(const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray)
{
    uint32_t blocker = UINT32_MAX;
    return rbl_ray_tree_blocked(bvh, rays, ray, &blocker);
}

bool rbl_ray_tree_blocked(const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray, uint32_t* blocker)
{
    float factor;
    rblRayHit best;
    if (bvh->layout.leaves == 0 || !valid_ray(ray))
    {
        return false;
    }
    const rblRay scaled = scale_ray(ray, &factor);
    if (*blocker < bvh->layout.leaves)
    {
        const rblShearedRay sheared = rbl_shear_ray(&scaled);
        if (rbl_ray_hits_triangle(&sheared, &bvh->triangles[*blocker], scaled.t_min, scaled.t_max, &best))
        {
            return true;
        }
    }
    const bool blocked = trace_either(bvh, rays, &scaled, &best, true);
    *blocker = blocked ? best.leaf : *blocker;
    return blocked;
}

bool rbl_tree_ray_closest(const rblBvh* bvh, const rblRay* ray, rblRayHit* hit)
{
    return rbl_ray_tree_closest(bvh, NULL, ray, hit);
}

bool rbl_tree_ray_any(const rblBvh* bvh, const rblRay* ray)
{
    return rbl_ray_tree_any(bvh, NULL, ray);
}

bool rbl_tree_ray_blocked(const rblBvh* bvh, const rblRay* ray, uint32_t* blocker)
{
    return rbl_ray_tree_blocked(bvh, NULL, ray, blocker);
}
