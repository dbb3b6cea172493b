// Farthest-point order. A heap-shaped tree of boxes over the points stores, per node, the point that is farthest from
// all chosen points. When a point p at distance r is chosen, only points within r of it can have become closer, and the
// chosen points are at least r apart. So the m-th choice updates about n / m points: n log n in total.
#include "field/samples/samples_order.h"

#include "base/error.h"
#include "base/sort.h"
#include "math/aabb.h"
#include "math/morton.h"

#define LEAF_SIZE 8u // points per leaf
typedef struct Node
{
    rblAabb box;
    float squared;     // m^2, squared distance of the farthest point from the chosen ones
    uint32_t farthest; // index of that point in the input
} Node;

typedef struct Search
{
    const rblAllocator* allocator;
    uint32_t count;
    uint32_t leaf_count;     // a power of two
    Node* nodes;             // the children of node i are 2 i and 2 i + 1; leaves from leaf_count on
    rblVec3* points;         // sorted along a Morton curve
    uint32_t* indices;       // per point of the curve: its index in the input
    float* squared;          // per point of the curve: squared distance to the nearest chosen point, m^2
    uint32_t* nearest;       // per point of the curve: index of that point in the order
    uint32_t* level;         // copy of `nearest` at the last power of two
    uint32_t* curve_indices; // per point of the input: its index on the curve
} Search;

static void search_free(Search* s)
{
    RBL_FREE_ARRAY(s->allocator, s->nodes, 2 * (size_t)s->leaf_count);
    RBL_FREE_ARRAY(s->allocator, s->points, s->count);
    RBL_FREE_ARRAY(s->allocator, s->indices, s->count);
    RBL_FREE_ARRAY(s->allocator, s->squared, s->count);
    RBL_FREE_ARRAY(s->allocator, s->nearest, s->count);
    RBL_FREE_ARRAY(s->allocator, s->level, s->count);
    RBL_FREE_ARRAY(s->allocator, s->curve_indices, s->count);
}

static bool has_smaller_code(uint32_t a, uint32_t b, const void* context)
{
    const uint64_t* codes = context;
    return codes[a] < codes[b];
}

static bool sort_along_curve(Search* s, const rblVec3* points)
{
    uint64_t* codes = RBL_NEW_ARRAY(s->allocator, uint64_t, s->count);
    const bool ok = codes != NULL;
    if (ok)
    {
        rblAabbd box = rbl_aabbd_empty();
        for (uint32_t i = 0; i < s->count; ++i)
        {
            box = rbl_aabbd_add(box, rbl_to_double3(points[i]));
        }
        for (uint32_t i = 0; i < s->count; ++i)
        {
            s->indices[i] = i;
            codes[i] = rbl_morton63_of(rbl_to_double3(points[i]), box);
        }
        rbl_sort_indices(s->indices, s->curve_indices, s->count, has_smaller_code, codes);
        for (uint32_t i = 0; i < s->count; ++i)
        {
            s->curve_indices[s->indices[i]] = i;
            s->points[i] = points[s->indices[i]];
        }
    }
    RBL_FREE_ARRAY(s->allocator, codes, s->count);
    return ok;
}

static uint32_t leaf_end(const Search* s, uint32_t leaf)
{
    const uint64_t end = ((uint64_t)leaf + 1) * LEAF_SIZE;
    return end < s->count ? (uint32_t)end : s->count;
}

static void build_boxes(Search* s)
{
    for (uint32_t leaf = 0; leaf < s->leaf_count; ++leaf)
    {
        Node* node = &s->nodes[s->leaf_count + leaf];
        *node = (Node){rbl_aabb_empty(), 0.0f, UINT32_MAX};
        for (uint32_t i = leaf * LEAF_SIZE; i < leaf_end(s, leaf); ++i)
        {
            node->box = rbl_aabb_add(node->box, s->points[i]);
        }
    }
    for (uint32_t i = s->leaf_count - 1; i > 0; --i)
    {
        s->nodes[i] = (Node){rbl_aabb_union(s->nodes[2 * i].box, s->nodes[2 * i + 1].box), 0.0f, 0};
    }
}

static rblResult search_init(Search* s, const rblVec3* points, uint32_t count, const rblAllocator* allocator)
{
    *s = (Search){.allocator = allocator, .count = count, .leaf_count = 1};
    while ((uint64_t)s->leaf_count * LEAF_SIZE < count)
    {
        s->leaf_count *= 2;
    }
    s->nodes = RBL_NEW_ARRAY(allocator, Node, 2 * (size_t)s->leaf_count);
    s->points = RBL_NEW_ARRAY(allocator, rblVec3, count);
    s->indices = RBL_NEW_ARRAY(allocator, uint32_t, count);
    s->squared = RBL_NEW_ARRAY(allocator, float, count);
    s->nearest = RBL_NEW_ARRAY(allocator, uint32_t, count);
    s->level = RBL_NEW_ARRAY(allocator, uint32_t, count);
    s->curve_indices = RBL_NEW_ARRAY(allocator, uint32_t, count);
    if (s->nodes == NULL || s->points == NULL || s->indices == NULL || s->squared == NULL ||
        s->nearest == NULL || s->level == NULL || s->curve_indices == NULL || !sort_along_curve(s, points))
    {
        search_free(s);
        return rbl_fail_memory();
    }
    build_boxes(s);
    return RBL_OK;
}

// ---- choosing ----

static bool is_farther(float squared_a, uint32_t a, float squared_b, uint32_t b)
{
    return squared_a > squared_b || (squared_a == squared_b && a < b);
}

static void refresh_leaf(const Search* s, uint32_t index)
{
    Node* node = &s->nodes[index];
    const uint32_t leaf = index - s->leaf_count;
    node->squared = -1.0f;
    node->farthest = UINT32_MAX;
    for (uint32_t i = leaf * LEAF_SIZE; i < leaf_end(s, leaf); ++i)
    {
        if (is_farther(s->squared[i], s->indices[i], node->squared, node->farthest))
        {
            node->squared = s->squared[i];
            node->farthest = s->indices[i];
        }
    }
}

static void refresh_inner(const Search* s, uint32_t index)
{
    const Node* a = &s->nodes[2 * index];
    const Node* b = a + 1;
    const Node* far = is_farther(b->squared, b->farthest, a->squared, a->farthest) ? b : a;
    s->nodes[index].squared = far->squared;
    s->nodes[index].farthest = far->farthest;
}

// Point p is chosen: update all points that are closer to it than to earlier ones. The test of a box is exact: rounding
// is monotone, so in floats no box is farther than a point in it.
static void update_nearest(const Search* s, uint32_t index, rblVec3 p, uint32_t order_index)
{
    const Node* node = &s->nodes[index];
    if (!(rbl_aabb_distance_squared(node->box, p) < node->squared))
    {
        return;
    }
    if (index < s->leaf_count)
    {
        update_nearest(s, 2 * index, p, order_index);
        update_nearest(s, 2 * index + 1, p, order_index);
        refresh_inner(s, index);
        return;
    }
    const uint32_t leaf = index - s->leaf_count;
    for (uint32_t i = leaf * LEAF_SIZE; i < leaf_end(s, leaf); ++i)
    {
        const rblVec3 d = rbl_sub3(s->points[i], p);
        const float squared = rbl_dot3(d, d);
        if (squared < s->squared[i])
        {
            s->squared[i] = squared;
            s->nearest[i] = order_index;
        }
    }
    refresh_leaf(s, index);
}

// The first point is the one farthest from the centre of the box. Then all points are infinitely far from the chosen
// ones.
static uint32_t choose_first(Search* s)
{
    const rblVec3 middle = rbl_aabb_center(s->nodes[1].box);
    for (uint32_t i = 0; i < s->count; ++i)
    {
        const rblVec3 d = rbl_sub3(s->points[i], middle);
        s->squared[i] = rbl_dot3(d, d);
        s->level[i] = 0;
        s->nearest[i] = 0;
    }
    for (uint32_t i = 2 * s->leaf_count - 1; i > 0; --i)
    {
        i >= s->leaf_count ? refresh_leaf(s, i) : refresh_inner(s, i);
    }
    const uint32_t first = s->nodes[1].farthest;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        s->squared[i] = INFINITY;
    }
    for (uint32_t i = 1; i < 2 * s->leaf_count; ++i)
    {
        s->nodes[i].squared = s->nodes[i].squared < 0.0f ? -1.0f : INFINITY;
    }
    return first;
}

static void choose_all(Search* s, rblSampleOrder* order)
{
    uint32_t next = choose_first(s);
    do
    {
        const uint32_t order_index = order->count++;
        order->chosen[order_index] = next;
        if ((order_index & (order_index - 1)) == 0)
        {
            for (uint32_t i = 0; i < s->count; ++i)
            {
                s->level[i] = s->nearest[i];
            }
        }
        order->parents[order_index] = s->level[s->curve_indices[next]];
        update_nearest(s, 1, s->points[s->curve_indices[next]], order_index);
        next = s->nodes[1].farthest;
    } while (s->nodes[1].squared > 0.0f);
}

rblResult rbl_sample_order_init(rblSampleOrder* order, const rblVec3* points, uint32_t count,
                                const rblAllocator* allocator)
{
    Search search;
    RBL_TRY(search_init(&search, points, count, allocator));
    *order = (rblSampleOrder){.capacity = count, .allocator = allocator};
    order->chosen = RBL_NEW_ARRAY(allocator, uint32_t, count);
    order->parents = RBL_NEW_ARRAY(allocator, uint32_t, count);
    const bool ok = order->chosen != NULL && order->parents != NULL;
    if (ok)
    {
        choose_all(&search, order);
    }
    search_free(&search);
    if (!ok)
    {
        rbl_sample_order_free(order);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

void rbl_sample_order_free(rblSampleOrder* order)
{
    RBL_FREE_ARRAY(order->allocator, order->chosen, order->capacity);
    RBL_FREE_ARRAY(order->allocator, order->parents, order->capacity);
}
