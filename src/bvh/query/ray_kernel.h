// The traversal of a ray tree, written once for every width of registers. A file that includes it defines first:
//   Wide                 eight floats
//   RAY_FCN              storage class and target of a function on them
//   wide_splat, wide_load, wide_store, wide_sub, wide_mul,
//   wide_min, wide_max, wide_less, wide_less_equal, wide_and, wide_mask
// Every path executes the same operations in the same order.
#include "base/bits.h"
#include "bvh/query/ray_tree_trace.h"
#include <string.h>

// By bytes, because the processor adds them for nothing.
RAY_FCN Wide load_side(const rblRayNode* node, size_t offset)
{
    return wide_load((const float*)(const void*)((const char*)node->side + offset));
}

// Which children the ray enters before t_max, and where.
RAY_FCN uint32_t hit_children(const rblRayTrace* ray, const rblRayNode* node, float t_max,
                              float enter[RBL_RAY_WIDTH])
{
    Wide near = wide_splat(ray->t_min);
    Wide far = wide_splat(t_max);
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        const Wide inverse = wide_splat(ray->inverse[axis]);
        const Wide enters = load_side(node, ray->enter_side[axis]);
        const Wide leaves = load_side(node, ray->leave_side[axis]);
        near = wide_max(wide_mul(wide_sub(enters, wide_splat(ray->enter_from[axis])), inverse), near);
        far = wide_min(wide_mul(wide_sub(leaves, wide_splat(ray->leave_from[axis])), inverse), far);
    }
    wide_store(enter, wide_max(near, wide_splat(0.0f))); // keys on the stack are not negative
    return wide_mask(wide_less_equal(near, far)) & node->lanes;
}

typedef struct WideFlat
{
    Wide x, y;
} WideFlat;

// rbl_shear_corner() of eight corners.
RAY_FCN WideFlat shear_corners(const rblShearedRay* ray, const float corner[3][RBL_RAY_WIDTH])
{
    const Wide depth = wide_sub(wide_load(corner[ray->kz]), wide_splat(ray->origin[ray->kz]));
    const Wide x = wide_sub(wide_load(corner[ray->kx]), wide_splat(ray->origin[ray->kx]));
    const Wide y = wide_sub(wide_load(corner[ray->ky]), wide_splat(ray->origin[ray->ky]));
    return (WideFlat){wide_sub(x, wide_mul(wide_splat(ray->sx), depth)),
                      wide_sub(y, wide_mul(wide_splat(ray->sy), depth))};
}

// The triangles of a block that rbl_ray_hits_triangle() does not reject by their edges. Rounding is monotonic: an edge
// function that is not 0 in 32 bits has the right sign, and two of opposite signs reject in 64 bits too.
RAY_FCN uint32_t near_triangles(const rblShearedRay* ray, const rblRayBlock* block)
{
    const WideFlat a = shear_corners(ray, block->corner[0]);
    const WideFlat b = shear_corners(ray, block->corner[1]);
    const WideFlat c = shear_corners(ray, block->corner[2]);
    const Wide u = wide_sub(wide_mul(c.x, b.y), wide_mul(c.y, b.x));
    const Wide v = wide_sub(wide_mul(a.x, c.y), wide_mul(a.y, c.x));
    const Wide s = wide_sub(wide_mul(b.x, a.y), wide_mul(b.y, a.x));
    const Wide zero = wide_splat(0.0f);
    const Wide least = wide_min(u, wide_min(v, s));
    const Wide most = wide_max(u, wide_max(v, s));
    return 255u & ~wide_mask(wide_and(wide_less(least, zero), wide_less(zero, most)));
}

// Test the triangles of a block. True as soon as `any` is satisfied.
RAY_FCN bool hit_block(const rblRayTrace* trace, uint32_t number, rblRayHit* best, bool any)
{
    const rblRayBlock* block = &trace->blocks[number];
    for (uint32_t mask = near_triangles(&trace->sheared, block); mask != 0; mask &= mask - 1)
    {
        const uint32_t lane = rbl_lowest_bit(mask);
        const rblLeafTriangle triangle = {
            {block->corner[0][0][lane], block->corner[0][1][lane], block->corner[0][2][lane]},
            {block->corner[1][0][lane], block->corner[1][1][lane], block->corner[1][2][lane]},
            {block->corner[2][0][lane], block->corner[2][1][lane], block->corner[2][2][lane]}};
        rblRayHit hit;
        if (!rbl_ray_hits_triangle(&trace->sheared, &triangle, trace->t_min, best->t, &hit))
        {
            continue;
        }
        hit.leaf = RBL_RAY_WIDTH * number + lane;
        if (any)
        {
            *best = hit;
            return true;
        }
        // With equal t the lower triangle wins, for every order of traversal.
        if (hit.t < best->t || best->leaf == UINT32_MAX || trace->order[hit.leaf] < trace->order[best->leaf])
        {
            rbl_prefetch(&trace->order[hit.leaf]);
            *best = hit;
        }
    }
    return false;
}

RAY_FCN uint64_t make_entry(const rblRayNode* node, const float enter[RBL_RAY_WIDTH], uint32_t lane)
{
    uint32_t bits;
    memcpy(&bits, &enter[lane], sizeof bits);
    return (uint64_t)bits << 32 | node->child[lane];
}

// Push the children of a mask, farthest first. Returns the nearest instead of pushing it.
RAY_FCN uint32_t push_children(uint64_t* stack, uint32_t* size, const rblRayNode* node,
                               const float enter[RBL_RAY_WIDTH], uint32_t mask)
{
    const uint32_t first = rbl_lowest_bit(mask);
    mask &= mask - 1;
    if (mask == 0)
    {
        return node->child[first];
    }
    uint64_t nearest = make_entry(node, enter, first);
    uint64_t other = make_entry(node, enter, rbl_lowest_bit(mask));
    mask &= mask - 1;
    const uint64_t farther = nearest < other ? other : nearest;
    nearest = nearest < other ? nearest : other;
    const uint32_t bottom = *size;
    uint32_t top = bottom;
    stack[top++] = farther;
    for (; mask != 0; mask &= mask - 1)
    {
        other = make_entry(node, enter, rbl_lowest_bit(mask));
        uint64_t moved = nearest < other ? other : nearest;
        nearest = nearest < other ? nearest : other;
        uint32_t place = top++;
        for (; place > bottom && stack[place - 1] < moved; --place)
        {
            stack[place] = stack[place - 1];
        }
        stack[place] = moved;
    }
    *size = top;
    return (uint32_t)nearest;
}

// In trees that are larger than the caches, waiting for the children would take much of the time of random rays.
RAY_FCN void prefetch_children(const rblRayTrace* trace, const rblRayNode* node, uint32_t mask)
{
    for (; mask != 0; mask &= mask - 1)
    {
        const uint32_t child = node->child[rbl_lowest_bit(mask)];
        const bool is_block = (child & RBL_RAY_BLOCK_BIT) != 0;
        const char* data = is_block ? (const char*)&trace->blocks[child & ~RBL_RAY_BLOCK_BIT]
                                    : (const char*)&trace->nodes[child];
        const size_t size = is_block ? sizeof(rblRayBlock) : sizeof(rblRayNode);
        for (size_t at = 0; at < size; at += 64)
        {
            rbl_prefetch(data + at);
        }
    }
}

RAY_FCN bool trace_ray(const rblRayTrace* trace, rblRayHit* best, bool any)
{
    uint64_t stack[RBL_RAY_STACK_SIZE];
    uint32_t size = 0;
    uint32_t place = 0;
    for (;;)
    {
        if ((place & RBL_RAY_BLOCK_BIT) == 0)
        {
            const rblRayNode* node = &trace->nodes[place];
            float enter[RBL_RAY_WIDTH];
            const uint32_t mask = hit_children(trace, node, best->t, enter);
            if (mask != 0)
            {
                prefetch_children(trace, node, mask);
                place = push_children(stack, &size, node, enter, mask);
                continue;
            }
        }
        else if (hit_block(trace, place & ~RBL_RAY_BLOCK_BIT, best, any))
        {
            return true;
        }
        float key;
        do
        {
            if (size == 0)
            {
                return best->leaf != UINT32_MAX;
            }
            size -= 1;
            const uint32_t bits = (uint32_t)(stack[size] >> 32);
            memcpy(&key, &bits, sizeof key);
        } while (key > rbl_maxf(best->t, 0.0f));
        place = (uint32_t)stack[size];
    }
}
