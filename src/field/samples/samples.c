#include "field/samples/samples.h"

#include "base/error.h"
#include "field/samples/samples_order.h"
#include "math/vec.h"

#define MAX_COORDINATE 1e18f // m; squared distances stay finite
// Relative bound of the rounding error of the square root of a sum of squares.
#define ROUND_UP (1.0f + 1e-6f)

static rblResult check_points(const rblVec3* points, uint32_t count)
{
    if (points == NULL || count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "samples: there must be at least one");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 p = points[i];
        if (!(fabsf(p.x) <= MAX_COORDINATE && fabsf(p.y) <= MAX_COORDINATE && fabsf(p.z) <= MAX_COORDINATE))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "samples: point %u must be finite and at most 1e18", i);
        }
    }
    return RBL_OK;
}

// One block of memory: the struct, then its arrays.
static rblSampleTree* allocate_tree(uint32_t count, const rblAllocator* allocator)
{
    const size_t n = count;
    const size_t bytes = sizeof(rblSampleTree) +
                         n * (sizeof(rblSampleChild) + sizeof(rblVec3) + sizeof(uint32_t)) + sizeof(uint32_t);
    rblSampleTree* tree = rbl_alloc(allocator, bytes);
    if (tree != NULL)
    {
        tree->count = count;
        tree->bytes = bytes;
        tree->children = (rblSampleChild*)(void*)(tree + 1);
        tree->points = (rblVec3*)(void*)(tree->children + n);
        tree->first_children = (uint32_t*)(void*)(tree->points + n);
    }
    return tree;
}

// Children lists by counting sort; the children of a parent are in rising order.
static void list_children(rblSampleTree* tree, const uint32_t* parents)
{
    uint32_t* first = tree->first_children;
    for (uint32_t i = 0; i <= tree->count; ++i)
    {
        first[i] = 0;
    }
    for (uint32_t i = 1; i < tree->count; ++i)
    {
        first[parents[i] + 1] += 1;
    }
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        first[i + 1] += first[i];
    }
    for (uint32_t i = 1; i < tree->count; ++i)
    {
        tree->children[first[parents[i]]++].node = i;
    }
    for (uint32_t i = tree->count; i > 0; --i)
    {
        first[i] = first[i - 1];
    }
    first[0] = 0;
}

// far[c]: distance from the parent of c to the farthest of c and its descendants. Every point updates all its
// ancestors; it has at most one per level.
static void measure_reaches(rblSampleTree* tree, const uint32_t* parents, float* far)
{
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        far[i] = 0.0f;
    }
    for (uint32_t i = 1; i < tree->count; ++i)
    {
        for (uint32_t child = i; child > 0; child = parents[child])
        {
            const rblVec3 d = rbl_sub3(tree->points[i], tree->points[parents[child]]);
            far[child] = rbl_maxf(far[child], rbl_dot3(d, d));
        }
    }
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        float reach = 0.0f;
        for (uint32_t k = tree->first_children[i + 1]; k > tree->first_children[i]; --k)
        {
            reach = rbl_maxf(reach, far[tree->children[k - 1].node]);
            tree->children[k - 1].reach = sqrtf(reach) * ROUND_UP;
        }
    }
}

static void fill_children(rblSampleTree* tree)
{
    for (uint32_t k = 0; k + 1 < tree->count; ++k)
    {
        rblSampleChild* child = &tree->children[k];
        child->point = tree->points[child->node];
        child->radius = rbl_sample_radius(tree, child->node);
        child->first = tree->first_children[child->node];
        child->end = tree->first_children[child->node + 1];
    }
}

// `chosen` null: the points are in order.
static rblResult make_tree(const rblVec3* points, const uint32_t* chosen, const uint32_t* parents,
                           uint32_t count, const rblAllocator* allocator, rblSampleTree** out)
{
    rblSampleTree* tree = allocate_tree(count, allocator);
    float* far = RBL_NEW_ARRAY(allocator, float, count);
    const bool ok = tree != NULL && far != NULL;
    if (ok)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            tree->points[i] = points[chosen != NULL ? chosen[i] : i];
        }
        list_children(tree, parents);
        measure_reaches(tree, parents, far);
        fill_children(tree);
        *out = tree;
    }
    else
    {
        rbl_sample_tree_free(tree, allocator);
    }
    RBL_FREE_ARRAY(allocator, far, count);
    return ok ? RBL_OK : rbl_fail_memory();
}

// The tree of an order. Frees the order.
static rblResult tree_of_order(const rblVec3* points, rblSampleOrder* order, const rblAllocator* allocator,
                               rblSampleTree** out)
{
    const rblResult result = make_tree(points, order->chosen, order->parents, order->count, allocator, out);
    rbl_sample_order_free(order);
    return result;
}

rblResult rbl_sample_tree_create_ordered(const rblVec3* points, const uint32_t* parents, uint32_t count,
                                         const rblAllocator* allocator, rblSampleTree** out)
{
    RBL_TRY(check_points(points, count));
    return make_tree(points, NULL, parents, count, allocator, out);
}

rblResult rbl_sample_tree_create(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                 rblSampleTree** out)
{
    RBL_TRY(check_points(points, count));
    rblSampleOrder order;
    RBL_TRY(rbl_sample_order_init(&order, points, count, allocator));
    return tree_of_order(points, &order, allocator, out);
}

rblResult rbl_sample_tree_create_quick(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                       rblSampleTree** out)
{
    RBL_TRY(check_points(points, count));
    rblSampleOrder order;
    RBL_TRY(rbl_sample_order_init_quick(&order, points, count, allocator));
    return tree_of_order(points, &order, allocator, out);
}

void rbl_sample_tree_parents(const rblSampleTree* tree, uint32_t* out)
{
    out[0] = 0;
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        for (uint32_t k = tree->first_children[i]; k < tree->first_children[i + 1]; ++k)
        {
            out[tree->children[k].node] = i;
        }
    }
}

void rbl_sample_tree_free(rblSampleTree* tree, const rblAllocator* allocator)
{
    if (tree != NULL)
    {
        rbl_free(allocator, tree, tree->bytes);
    }
}
