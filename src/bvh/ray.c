#include "bvh/ray.h"

#include "bvh/group.h"
#include "math/vec.h"

// ---- triangle test (Woop, Benthin and Wald 2013, "Watertight Ray/Triangle Intersection") ----

// A ray sheared so that it runs along its dominant axis; edges are then tested in 2D.
typedef struct ShearedRay
{
    int kx, ky, kz; // axes, kz dominant; kx and ky swapped where needed to keep the winding
    float sx, sy, sz;
    float origin[3];
} ShearedRay;

static inline const float* lanes_of(const rblVec3* v)
{
    return &v->x;
}

static ShearedRay shear_ray(const rblRay* ray)
{
    const float* d = lanes_of(&ray->direction);
    const float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]);
    ShearedRay sheared = {.origin = {ray->origin.x, ray->origin.y, ray->origin.z}};
    sheared.kz = ax > ay ? (ax > az ? 0 : 2) : (ay > az ? 1 : 2);
    sheared.kx = (sheared.kz + 1) % 3;
    sheared.ky = (sheared.kx + 1) % 3;
    if (d[sheared.kz] < 0.0f)
    {
        const int swap = sheared.kx;
        sheared.kx = sheared.ky;
        sheared.ky = swap;
    }
    sheared.sx = d[sheared.kx] / d[sheared.kz];
    sheared.sy = d[sheared.ky] / d[sheared.kz];
    sheared.sz = 1.0f / d[sheared.kz];
    return sheared;
}

// Edge functions; where 32 bits say "exactly on the edge", 64 bits decide, so that no ray slips between triangles.
static void edge_functions(const float a[2], const float b[2], const float c[2], double w[3])
{
    const float u = c[0] * b[1] - c[1] * b[0];
    const float v = a[0] * c[1] - a[1] * c[0];
    const float s = b[0] * a[1] - b[1] * a[0];
    if (u == 0.0f || v == 0.0f || s == 0.0f)
    {
        w[0] = (double)c[0] * (double)b[1] - (double)c[1] * (double)b[0];
        w[1] = (double)a[0] * (double)c[1] - (double)a[1] * (double)c[0];
        w[2] = (double)b[0] * (double)a[1] - (double)b[1] * (double)a[0];
        return;
    }
    w[0] = (double)u;
    w[1] = (double)v;
    w[2] = (double)s;
}

static void shear_corner(const ShearedRay* ray, const rblVec3* corner, float flat[2], float* depth)
{
    const float* p = lanes_of(corner);
    const float x = p[ray->kx] - ray->origin[ray->kx];
    const float y = p[ray->ky] - ray->origin[ray->ky];
    const float z = p[ray->kz] - ray->origin[ray->kz];
    flat[0] = x - ray->sx * z;
    flat[1] = y - ray->sy * z;
    *depth = ray->sz * z;
}

static bool hit_triangle(const ShearedRay* ray, const rblLeafTriangle* triangle, float t_min, float t_max,
                         rblRayHit* hit)
{
    float a[2], b[2], c[2], za, zb, zc;
    double w[3];
    shear_corner(ray, &triangle->a, a, &za);
    shear_corner(ray, &triangle->b, b, &zb);
    shear_corner(ray, &triangle->c, c, &zc);
    edge_functions(a, b, c, w);
    if ((w[0] < 0.0 || w[1] < 0.0 || w[2] < 0.0) && (w[0] > 0.0 || w[1] > 0.0 || w[2] > 0.0))
    {
        return false;
    }
    const double sum = w[0] + w[1] + w[2];
    if (sum == 0.0)
    {
        return false;
    }
    const double t = (w[0] * (double)za + w[1] * (double)zb + w[2] * (double)zc) / sum;
    if (!(t >= (double)t_min && t <= (double)t_max))
    {
        return false;
    }
    hit->t = (float)t;
    hit->u = (float)(w[1] / sum);
    hit->v = (float)(w[2] / sum);
    return true;
}

// ---- traversal ----

typedef struct BoxRay
{
    rblFloat4 origin_x, origin_y, origin_z;
    rblFloat4 inverse_x, inverse_y, inverse_z;
    bool negative_x, negative_y, negative_z;
} BoxRay;

// A direction of zero becomes a very small one: the slab test then never meets 0 * infinity.
static float safe_inverse(float d)
{
    const float least = 1e-30f;
    return 1.0f / (fabsf(d) > least ? d : (d < 0.0f ? -least : least));
}

static BoxRay prepare_box_ray(const rblRay* ray)
{
    return (BoxRay){
        .origin_x = rbl_splat4(ray->origin.x),
        .origin_y = rbl_splat4(ray->origin.y),
        .origin_z = rbl_splat4(ray->origin.z),
        .inverse_x = rbl_splat4(safe_inverse(ray->direction.x)),
        .inverse_y = rbl_splat4(safe_inverse(ray->direction.y)),
        .inverse_z = rbl_splat4(safe_inverse(ray->direction.z)),
        .negative_x = ray->direction.x < 0.0f,
        .negative_y = ray->direction.y < 0.0f,
        .negative_z = ray->direction.z < 0.0f,
    };
}

// Which of four boxes the ray enters before t_max, and where. The far side is moved out by a few ulps, so that rounding
// never loses a box (Ize 2013, "Robust BVH Ray Traversal").
static inline uint32_t hit_boxes(const BoxRay* ray, const rblBoxGroup* g, float t_min, float t_max,
                                 float enter[4])
{
    const rblFloat4 near_x = ray->negative_x ? g->upper_x : g->lower_x;
    const rblFloat4 near_y = ray->negative_y ? g->upper_y : g->lower_y;
    const rblFloat4 near_z = ray->negative_z ? g->upper_z : g->lower_z;
    const rblFloat4 far_x = ray->negative_x ? g->lower_x : g->upper_x;
    const rblFloat4 far_y = ray->negative_y ? g->lower_y : g->upper_y;
    const rblFloat4 far_z = ray->negative_z ? g->lower_z : g->upper_z;
    const rblFloat4 t0x = rbl_mul4(rbl_sub4(near_x, ray->origin_x), ray->inverse_x);
    const rblFloat4 t0y = rbl_mul4(rbl_sub4(near_y, ray->origin_y), ray->inverse_y);
    const rblFloat4 t0z = rbl_mul4(rbl_sub4(near_z, ray->origin_z), ray->inverse_z);
    const rblFloat4 t1x = rbl_mul4(rbl_sub4(far_x, ray->origin_x), ray->inverse_x);
    const rblFloat4 t1y = rbl_mul4(rbl_sub4(far_y, ray->origin_y), ray->inverse_y);
    const rblFloat4 t1z = rbl_mul4(rbl_sub4(far_z, ray->origin_z), ray->inverse_z);
    const rblFloat4 t0 = rbl_max4(rbl_max4(t0x, t0y), rbl_max4(t0z, rbl_splat4(t_min)));
    const rblFloat4 t1 = rbl_min4(rbl_min4(t1x, t1y), t1z);
    const rblFloat4 widened = rbl_min4(rbl_mul4(t1, rbl_splat4(1.0000004f)), rbl_splat4(t_max));
    rbl_store4(enter, t0);
    return rbl_mask4(rbl_less_equal4(t0, widened));
}

typedef struct StackEntry
{
    float enter;
    uint32_t level;
    uint32_t position;
} StackEntry;

// At most three entries stay behind per step of two levels, and one where the step is one.
#define STACK_SIZE 64

// Put the boxes that were hit on the stack, the nearest on top.
static uint32_t push_sorted(StackEntry* stack, uint32_t size, uint32_t mask, const float enter[4],
                            uint32_t level, uint32_t position)
{
    const uint32_t base = size;
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        if ((mask >> lane & 1) == 0)
        {
            continue;
        }
        uint32_t at = size++;
        for (; at > base && stack[at - 1].enter < enter[lane]; --at)
        {
            stack[at] = stack[at - 1];
        }
        stack[at] = (StackEntry){enter[lane], level, position + lane};
    }
    return size;
}

// Test the leaves of a mask; true as soon as `any` is satisfied.
static bool hit_leaves(const rblBvh* bvh, const ShearedRay* ray, uint32_t mask, uint32_t first, float t_min,
                       rblRayHit* best, bool any)
{
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        const uint32_t leaf = first + lane;
        rblRayHit hit;
        if ((mask >> lane & 1) == 0 || !hit_triangle(ray, &bvh->triangles[leaf], t_min, best->t, &hit))
        {
            continue;
        }
        // Equal t: the lower leaf wins, whatever the order of traversal.
        if (hit.t < best->t || leaf < best->leaf)
        {
            hit.leaf = leaf;
            *best = hit;
        }
        if (any)
        {
            return true;
        }
    }
    return false;
}

static bool trace(const rblBvh* bvh, const rblRay* ray, rblRayHit* best, bool any)
{
    const ShearedRay sheared = shear_ray(ray);
    const BoxRay box_ray = prepare_box_ray(ray);
    const uint32_t leaf_level = bvh->layout.leaf_level;
    StackEntry stack[STACK_SIZE] = {{ray->t_min, 0, 0}};
    uint32_t size = 1;
    *best = (rblRayHit){.t = ray->t_max, .leaf = UINT32_MAX};
    while (size > 0)
    {
        const StackEntry node = stack[--size];
        if (node.enter > best->t)
        {
            continue;
        }
        if (node.level == leaf_level) // a tree of one leaf
        {
            hit_leaves(bvh, &sheared, 1, node.position, ray->t_min, best, any);
            continue;
        }
        const uint32_t step = rbl_group_step(bvh, node.level);
        const uint32_t level = node.level + step;
        const uint32_t position = node.position << step;
        const rblBoxGroup group = rbl_group_load(&bvh->nodes[bvh->level_starts[level] + position]);
        float enter[4];
        const uint32_t mask = hit_boxes(&box_ray, &group, ray->t_min, best->t, enter) &
                              rbl_group_lanes(bvh, level, position, 1u << step);
        if (level < leaf_level)
        {
            size = push_sorted(stack, size, mask, enter, level, position);
        }
        else if (hit_leaves(bvh, &sheared, mask, position, ray->t_min, best, any))
        {
            return true;
        }
    }
    return best->leaf != UINT32_MAX;
}

static bool valid_ray(const rblRay* ray)
{
    const float length2 = rbl_dot3(ray->direction, ray->direction);
    return rbl_finite3(ray->origin) && rbl_finite3(ray->direction) && length2 > 0.0f &&
           ray->t_min <= ray->t_max;
}

bool rbl_tree_ray_closest(const rblBvh* bvh, const rblRay* ray, rblRayHit* hit)
{
    rblRayHit best;
    if (bvh->layout.leaves == 0 || !valid_ray(ray) || !trace(bvh, ray, &best, false))
    {
        return false;
    }
    best.triangle = bvh->order[best.leaf];
    *hit = best;
    return true;
}

bool rbl_tree_ray_any(const rblBvh* bvh, const rblRay* ray)
{
    rblRayHit best;
    return bvh->layout.leaves > 0 && valid_ray(ray) && trace(bvh, ray, &best, true);
}
