#include "mesh/triangle_tree.h"

#include "base/error.h"
#include "base/random.h"
#include "math/aabb.h"
#include <string.h>

#define LEAF_SIZE 4u

// Triangles around a busy vertex have boxes that all meet, and no tree of boxes tells them apart. So a node
// knows when all its triangles have one vertex in common, its apex, and where their edges opposite to it are.
// Two triangles with an apex in common that have another point in common too: the ray from the apex through
// that point leaves one of the triangles, through its opposite edge, inside the other one.
struct rblTriangleNode
{
    rblAabbd box;
    rblAabbd opposite; // of the edges opposite to the apex
    uint32_t apex;     // RBL_NONE: no vertex in common
    uint32_t after;    // the node that follows when this one is missed
    uint32_t begin;    // items of a leaf; none in an inner node
    uint32_t count;
};

static double center_along(const rblTriangleSet* set, uint32_t item, uint32_t axis)
{
    const rblVec3d center = rbl_aabbd_center(set->boxes[item]);
    return axis == 0 ? center.x : (axis == 1 ? center.y : center.z);
}

// A total order, so that equal centres are told apart by number.
static bool comes_before(const rblTriangleSet* set, uint32_t a, uint32_t b, uint32_t axis)
{
    const double ca = center_along(set, a, axis);
    const double cb = center_along(set, b, axis);
    return ca < cb || (ca == cb && a < b);
}

static uint32_t longest_axis(const rblTriangleSet* set, uint32_t begin, uint32_t end)
{
    rblVec3d lower = rbl_aabbd_center(set->boxes[set->tree.items[begin]]);
    rblVec3d upper = lower;
    for (uint32_t i = begin + 1; i < end; ++i)
    {
        const rblVec3d center = rbl_aabbd_center(set->boxes[set->tree.items[i]]);
        lower = rbl_min3d(center, lower);
        upper = rbl_max3d(center, upper);
    }
    // Halved: the span of all finite numbers is not one.
    const rblVec3d size = rbl_sub3d(rbl_scale3d(upper, 0.5), rbl_scale3d(lower, 0.5));
    return size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
}

// Quickselect: afterwards items[begin .. middle) come before items[middle .. end). Pivots are drawn, so that
// no arrangement likely to occur is slow, with a fixed seed, so that every run draws the same.
static void split(rblTriangleSet* set, uint32_t begin, uint32_t middle, uint32_t end, uint32_t axis,
                  rblRandom* random)
{
    uint32_t* items = set->tree.items;
    while (end - begin > 1)
    {
        const uint32_t pivot = items[begin + rbl_random_below(random, end - begin)];
        uint32_t low = begin;
        uint32_t high = end - 1;
        for (;;)
        {
            while (comes_before(set, items[low], pivot, axis))
            {
                low += 1;
            }
            while (comes_before(set, pivot, items[high], axis))
            {
                high -= 1;
            }
            if (low >= high)
            {
                break;
            }
            const uint32_t swap = items[low];
            items[low++] = items[high];
            items[high--] = swap;
        }
        // items[begin .. low) are at most the pivot, items[low .. end) at least.
        if (low == begin) // the pivot came first: it alone is in order now
        {
            low += 1;
        }
        if (middle < low)
        {
            end = low;
        }
        else
        {
            begin = low;
        }
    }
}

// The place, 0 to 2, of a vertex in a triangle; 3 when it is not there.
static uint32_t place_of(const rblTriangleSet* set, uint32_t triangle, uint32_t vertex)
{
    uint32_t place = 0;
    while (place < 3 && rbl_triangle_vertex(set, triangle, place) != vertex)
    {
        place += 1;
    }
    return place;
}

static rblAabbd opposite_edge_box(const rblTriangleSet* set, uint32_t triangle, uint32_t place)
{
    const rblVec3d p = set->view->positions[rbl_triangle_vertex(set, triangle, (place + 1) % 3)];
    const rblVec3d q = set->view->positions[rbl_triangle_vertex(set, triangle, (place + 2) % 3)];
    return (rblAabbd){rbl_min3d(p, q), rbl_max3d(p, q)};
}

// The vertex that all triangles of a leaf have: the busiest one when there are several, so that leaves agree.
static uint32_t common_vertex(const rblTriangleSet* set, uint32_t begin, uint32_t count,
                              const uint32_t* valences)
{
    uint32_t apex = RBL_NONE;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t vertex = rbl_triangle_vertex(set, set->tree.items[begin], k);
        uint32_t having = 1;
        while (having < count && place_of(set, set->tree.items[begin + having], vertex) < 3)
        {
            having += 1;
        }
        if (having == count && (apex == RBL_NONE || valences[vertex] > valences[apex]))
        {
            apex = vertex;
        }
    }
    return apex;
}

static rblTriangleNode make_leaf(const rblTriangleSet* set, uint32_t begin, uint32_t count,
                                 const uint32_t* valences)
{
    rblTriangleNode leaf = {
        .box = rbl_aabbd_empty(), .opposite = rbl_aabbd_empty(), .begin = begin, .count = count};
    leaf.apex = common_vertex(set, begin, count, valences);
    for (uint32_t i = begin; i < begin + count; ++i)
    {
        const uint32_t triangle = set->tree.items[i];
        leaf.box = rbl_aabbd_union(leaf.box, set->boxes[triangle]);
        if (leaf.apex != RBL_NONE)
        {
            const uint32_t place = place_of(set, triangle, leaf.apex);
            leaf.opposite = rbl_aabbd_union(leaf.opposite, opposite_edge_box(set, triangle, place));
        }
    }
    return leaf;
}

typedef struct Builder
{
    rblTriangleSet* set;
    const uint32_t* valences; // per vertex: how many triangles have it
    rblRandom random;
} Builder;

static const rblTriangleNode* build(Builder* builder, uint32_t begin, uint32_t end)
{
    rblTriangleSet* set = builder->set;
    rblTriangleNode* node = &set->tree.nodes[set->tree.node_count++];
    if (end - begin <= LEAF_SIZE)
    {
        *node = make_leaf(set, begin, end - begin, builder->valences);
    }
    else
    {
        const uint32_t middle = begin + (end - begin) / 2;
        split(set, begin, middle, end, longest_axis(set, begin, end), &builder->random);
        const rblTriangleNode* left = build(builder, begin, middle);
        const rblTriangleNode* right = build(builder, middle, end);
        *node = (rblTriangleNode){.box = rbl_aabbd_union(left->box, right->box),
                                  .opposite = rbl_aabbd_union(left->opposite, right->opposite),
                                  .apex = left->apex == right->apex ? left->apex : RBL_NONE};
    }
    node->after = set->tree.node_count;
    return node;
}

static void fill_items(rblTriangleSet* set, uint32_t* valences)
{
    memset(valences, 0, sizeof *valences * set->view->vertex_count);
    for (uint32_t t = 0; t < rbl_triangle_count(set); ++t)
    {
        if (!rbl_aabbd_is_empty(set->boxes[t]))
        {
            set->tree.items[set->tree.item_count++] = t;
            for (uint32_t k = 0; k < 3; ++k)
            {
                valences[rbl_triangle_vertex(set, t, k)] += 1;
            }
        }
    }
}

rblResult rbl_triangle_tree_init(rblTriangleSet* set, const rblAllocator* allocator)
{
    rblTriangleTree* tree = &set->tree;
    *tree = (rblTriangleTree){.item_capacity = rbl_triangle_count(set)};
    // Every leaf holds at least half of LEAF_SIZE items, but for a tree of one leaf.
    tree->node_capacity = tree->item_capacity / (LEAF_SIZE / 2) * 2 + 1;
    tree->items = RBL_NEW_ARRAY(allocator, uint32_t, tree->item_capacity);
    tree->nodes = RBL_NEW_ARRAY(allocator, rblTriangleNode, tree->node_capacity);
    uint32_t* valences = RBL_NEW_ARRAY(allocator, uint32_t, set->view->vertex_count);
    const bool ok = tree->items != NULL && tree->nodes != NULL && valences != NULL;
    if (ok)
    {
        fill_items(set, valences);
        Builder builder = {set, valences, rbl_random_seed(1, 1)};
        if (tree->item_count > 0)
        {
            build(&builder, 0, tree->item_count);
        }
    }
    else
    {
        rbl_triangle_tree_free(tree, allocator);
    }
    RBL_FREE_ARRAY(allocator, valences, set->view->vertex_count);
    return ok ? RBL_OK : rbl_fail_memory();
}

void rbl_triangle_tree_free(rblTriangleTree* tree, const rblAllocator* allocator)
{
    RBL_FREE_ARRAY(allocator, tree->items, tree->item_capacity);
    RBL_FREE_ARRAY(allocator, tree->nodes, tree->node_capacity);
    *tree = (rblTriangleTree){0};
}

// ---- queries ----

// What is looked for: a box, and the triangle it is of, if any.
typedef struct Query
{
    const rblTriangleSet* set;
    rblAabbd box;
    uint32_t vertices[3]; // RBL_NONE for a plain box
    rblAabbd opposite[3]; // the edge opposite to each
} Query;

// Given a box of triangles that all have a vertex, and the box of their edges opposite to it.
static bool may_meet(const Query* query, const rblAabbd* box, uint32_t apex, const rblAabbd* opposite)
{
    if (!rbl_aabbd_overlaps(*box, query->box))
    {
        return false;
    }
    for (uint32_t k = 0; k < 3 && apex != RBL_NONE; ++k)
    {
        if (query->vertices[k] == apex)
        {
            return rbl_aabbd_overlaps(query->opposite[k], *box) || rbl_aabbd_overlaps(query->box, *opposite);
        }
    }
    return true;
}

// The same for a single triangle, with any vertex that it shares.
static bool may_meet_triangle(const Query* query, uint32_t triangle)
{
    const rblAabbd* box = &query->set->boxes[triangle];
    if (!rbl_aabbd_overlaps(*box, query->box))
    {
        return false;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t vertex = rbl_triangle_vertex(query->set, triangle, k);
        if (vertex == query->vertices[0] || vertex == query->vertices[1] || vertex == query->vertices[2])
        {
            const rblAabbd opposite = opposite_edge_box(query->set, triangle, k);
            return may_meet(query, box, vertex, &opposite);
        }
    }
    return true;
}

static void run(const Query* query, rblTriangleFcn* fcn, void* context)
{
    const rblTriangleTree* tree = &query->set->tree;
    uint32_t index = 0;
    while (index < tree->node_count)
    {
        const rblTriangleNode* node = &tree->nodes[index];
        if (!may_meet(query, &node->box, node->apex, &node->opposite))
        {
            index = node->after;
            continue;
        }
        for (uint32_t i = node->begin; i < node->begin + node->count; ++i)
        {
            if (may_meet_triangle(query, tree->items[i]) && !fcn(tree->items[i], context))
            {
                return;
            }
        }
        index += 1;
    }
}

void rbl_triangles_in_box(const rblTriangleSet* set, const rblAabbd* box, rblTriangleFcn* fcn, void* context)
{
    const Query query = {.set = set, .box = *box, .vertices = {RBL_NONE, RBL_NONE, RBL_NONE}};
    run(&query, fcn, context);
}

void rbl_triangles_near(const rblTriangleSet* set, uint32_t triangle, rblTriangleFcn* fcn, void* context)
{
    Query query = {.set = set, .box = set->boxes[triangle]};
    for (uint32_t k = 0; k < 3; ++k)
    {
        query.vertices[k] = rbl_triangle_vertex(set, triangle, k);
        query.opposite[k] = opposite_edge_box(set, triangle, k);
    }
    run(&query, fcn, context);
}
