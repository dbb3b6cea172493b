#include "mesh/triangle_tree.h"

#include "base/error.h"
#include "base/random.h"
#include "math/aabb.h"
#include <string.h>

#define LEAF_SIZE 4u

// Triangles around a busy vertex have boxes that all meet, and no tree of boxes tells them apart. So a node
// knows when all its triangles have one vertex in common, its apex, and where their edges opposite to it are.
// If two triangles with a common apex have another point in common too, the ray from the apex through that
// point leaves one of the triangles, through its opposite edge, inside the other one; and no plane through
// the apex separates one triangle from the opposite edge of the other.
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

static double largest_coordinate(const rblAabbd* box)
{
    const rblVec3d a = {fabs(box->lower.x), fabs(box->lower.y), fabs(box->lower.z)};
    const rblVec3d b = {fabs(box->upper.x), fabs(box->upper.y), fabs(box->upper.z)};
    const rblVec3d both = rbl_max3d(a, b);
    return rbl_maxd(both.x, rbl_maxd(both.y, both.z));
}

static void fill_items(rblTriangleSet* set, uint32_t* valences)
{
    memset(valences, 0, sizeof *valences * set->view->vertex_count);
    for (uint32_t t = 0; t < rbl_triangle_count(set); ++t)
    {
        if (!rbl_aabbd_is_empty(set->boxes[t]))
        {
            set->tree.items[set->tree.item_count++] = t;
            set->tree.largest = rbl_maxd(largest_coordinate(&set->boxes[t]), set->tree.largest);
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

// A plane through a vertex of the query triangle, beside one of the two edges there, with the triangle on its
// positive side. What lies strictly on the negative side cannot meet the triangle, and neither can a triangle
// with the same vertex whose opposite edge does. Only a filter: rounding errors make it pass more than it
// should.
typedef struct SidePlane
{
    rblVec3d normal; // zero when no plane could be trusted
    double error;    // bound of the rounding error of its scalar products with differences of positions
} SidePlane;

// What is looked for: a box, and the triangle it is of, if any.
typedef struct Query
{
    const rblTriangleSet* set;
    rblAabbd box;
    uint32_t vertices[3]; // RBL_NONE for a plain box
    rblVec3d points[3];
    rblAabbd opposite[3]; // the edge opposite to each vertex
    SidePlane planes[3][2];
} Query;

static double rounding_error(const rblTriangleSet* set, rblVec3d normal)
{
    // Five operations, each good for 2^-53 of at most twice the largest coordinate, or for the least number.
    return 0x1p-49 * (fabs(normal.x) + fabs(normal.y) + fabs(normal.z)) * set->tree.largest + 0x1p-1068;
}

// The plane that contains the edge e and is perpendicular to the triangle spanned by e and f, turned away
// from the triangle by as little as makes sure that rounding left both edges on its positive side.
static SidePlane side_plane(const rblTriangleSet* set, rblVec3d e, rblVec3d f)
{
    const rblVec3d none = {0, 0, 0};
    const rblVec3d across = rbl_sub3d(rbl_scale3d(f, rbl_dot3d(e, e)), rbl_scale3d(e, rbl_dot3d(e, f)));
    const rblVec3d between = rbl_add3d(rbl_normalize3d(e, none), rbl_normalize3d(f, none));
    SidePlane plane = {.normal = rbl_normalize3d(across, none)};
    plane.error = rounding_error(set, plane.normal);
    const double lack = rbl_maxd(-rbl_dot3d(plane.normal, e), 0) + 4 * plane.error;
    plane.normal = rbl_mul_add3d(plane.normal, 2 * lack / rbl_dot3d(between, e), between);
    plane.error = rounding_error(set, plane.normal);
    const bool trusted = rbl_dot3d(plane.normal, e) > plane.error && rbl_dot3d(plane.normal, f) > plane.error;
    return trusted ? plane : (SidePlane){.normal = none};
}

static bool is_behind(const SidePlane* plane, rblVec3d vertex, const rblAabbd* box)
{
    const rblVec3d n = plane->normal;
    const rblVec3d nearest = {n.x > 0 ? box->upper.x : box->lower.x, n.y > 0 ? box->upper.y : box->lower.y,
                              n.z > 0 ? box->upper.z : box->lower.z};
    return rbl_dot3d(n, rbl_sub3d(nearest, vertex)) < -plane->error;
}

// Whether triangles in `box` that all have the query's vertex `k`, with their opposite edges in `opposite`,
// may have another point in common with it.
static bool may_meet_around(const Query* query, uint32_t k, const rblAabbd* box, const rblAabbd* opposite)
{
    return (rbl_aabbd_overlaps(query->opposite[k], *box) || rbl_aabbd_overlaps(query->box, *opposite)) &&
           !is_behind(&query->planes[k][0], query->points[k], opposite) &&
           !is_behind(&query->planes[k][1], query->points[k], opposite);
}

// The place of a vertex in the query's triangle; 3 when it is not there.
static uint32_t query_place(const Query* query, uint32_t vertex)
{
    uint32_t k = 0;
    while (k < 3 && query->vertices[k] != vertex)
    {
        k += 1;
    }
    return k;
}

static bool may_meet_node(const Query* query, const rblTriangleNode* node)
{
    if (!rbl_aabbd_overlaps(node->box, query->box))
    {
        return false;
    }
    const uint32_t k = node->apex != RBL_NONE ? query_place(query, node->apex) : 3;
    return k == 3 || may_meet_around(query, k, &node->box, &node->opposite);
}

static bool may_meet_triangle(const Query* query, uint32_t triangle)
{
    const rblAabbd* box = &query->set->boxes[triangle];
    if (!rbl_aabbd_overlaps(*box, query->box))
    {
        return false;
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t k = query_place(query, rbl_triangle_vertex(query->set, triangle, i));
        if (k < 3)
        {
            const rblAabbd opposite = opposite_edge_box(query->set, triangle, i);
            return may_meet_around(query, k, box, &opposite);
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
        if (!may_meet_node(query, node))
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
    if (rbl_aabbd_is_empty(query.box))
    {
        return;
    }
    rbl_triangle_points(set, triangle, query.points);
    for (uint32_t k = 0; k < 3; ++k)
    {
        const rblVec3d e = rbl_sub3d(query.points[(k + 1) % 3], query.points[k]);
        const rblVec3d f = rbl_sub3d(query.points[(k + 2) % 3], query.points[k]);
        query.vertices[k] = rbl_triangle_vertex(set, triangle, k);
        query.opposite[k] = opposite_edge_box(set, triangle, k);
        query.planes[k][0] = side_plane(set, e, f);
        query.planes[k][1] = side_plane(set, f, e);
    }
    run(&query, fcn, context);
}
