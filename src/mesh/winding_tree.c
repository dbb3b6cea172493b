#include "mesh/winding_tree.h"

#include "base/error.h"
#include "base/sort.h"
#include "math/aabb.h"
#include "math/morton.h"
#include "math/trig.h"

#define LEAF_SIZE 4u

// Trees over 2^32 triangles are 30 levels deep; each level leaves one node waiting.
#define DEEPEST 64

// A node whose triangles lie within `radius` of its centre acts as one dipole from this many radii on.
#define FAR_ENOUGH 3.0

struct rblWindingNode
{
    rblAabbd box;
    uint32_t begin, end; // its triangles: order[begin] .. order[end - 1]
    uint32_t second;     // the second child (the first follows the node itself); 0 for a leaf
    rblVec3d center;     // mean of the triangles' centres, weighted by area
    rblVec3d dipole;     // sum of the triangles' normals times areas
    double radius;       // from the centre to the farthest corner
};

// ---- building ----

static rblVec3d centroid(const rblVec3d t[3])
{
    return rbl_scale3d(rbl_add3d(t[0], rbl_add3d(t[1], t[2])), 1.0 / 3.0);
}

static rblVec3d area_vector(const rblVec3d t[3])
{
    return rbl_scale3d(rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0])), 0.5);
}

static const rblVec3d* triangle_at(const rblWindingTree* tree, uint32_t place)
{
    return tree->points + 3 * (size_t)tree->order[place];
}

static void measure_node(const rblWindingTree* tree, rblWindingNode* node)
{
    rblVec3d weighted = {0, 0, 0};
    double area = 0;
    node->box = rbl_aabbd_empty();
    node->dipole = (rblVec3d){0, 0, 0};
    for (uint32_t i = node->begin; i < node->end; ++i)
    {
        const rblVec3d* t = triangle_at(tree, i);
        const rblVec3d vector = area_vector(t);
        const double size = rbl_length3d(vector);
        node->box = rbl_aabbd_add(rbl_aabbd_add(rbl_aabbd_add(node->box, t[0]), t[1]), t[2]);
        node->dipole = rbl_add3d(node->dipole, vector);
        weighted = rbl_mul_add3d(weighted, size, centroid(t));
        area += size;
    }
    node->center = area > 0 ? rbl_scale3d(weighted, 1 / area) : rbl_aabbd_center(node->box);
    node->radius = 0;
    for (uint32_t i = node->begin; i < node->end; ++i)
    {
        const rblVec3d* t = triangle_at(tree, i);
        for (int k = 0; k < 3; ++k)
        {
            node->radius = rbl_maxd(node->radius, rbl_distance3d(t[k], node->center));
        }
    }
}

static uint32_t build(rblWindingTree* tree, uint32_t begin, uint32_t end)
{
    const uint32_t index = tree->node_count++;
    rblWindingNode* node = &tree->nodes[index];
    *node = (rblWindingNode){.begin = begin, .end = end};
    measure_node(tree, node);
    if (end - begin > LEAF_SIZE)
    {
        const uint32_t middle = begin + (end - begin) / 2;
        build(tree, begin, middle);
        node->second = build(tree, middle, end);
    }
    return index;
}

static bool has_smaller_code(uint32_t a, uint32_t b, const void* context)
{
    const uint64_t* codes = context;
    return codes[a] < codes[b];
}

static bool sort_triangles(rblWindingTree* tree)
{
    uint64_t* codes = RBL_NEW_ARRAY(tree->allocator, uint64_t, tree->count);
    uint32_t* spare = RBL_NEW_ARRAY(tree->allocator, uint32_t, tree->count);
    const bool ok = codes != NULL && spare != NULL;
    if (ok)
    {
        rblAabbd bounds = rbl_aabbd_empty();
        for (size_t i = 0; i < 3 * (size_t)tree->count; ++i)
        {
            bounds = rbl_aabbd_add(bounds, tree->points[i]);
        }
        for (uint32_t t = 0; t < tree->count; ++t)
        {
            tree->order[t] = t;
            codes[t] = rbl_morton63_of(centroid(tree->points + 3 * (size_t)t), bounds);
        }
        rbl_sort_indices(tree->order, spare, tree->count, has_smaller_code, codes);
    }
    RBL_FREE_ARRAY(tree->allocator, codes, tree->count);
    RBL_FREE_ARRAY(tree->allocator, spare, tree->count);
    return ok;
}

rblResult rbl_winding_tree_init(rblWindingTree* tree, const rblVec3d* points, uint32_t count,
                                const rblAllocator* allocator)
{
    *tree = (rblWindingTree){.points = points, .count = count, .allocator = allocator};
    // Every leaf holds at least half of LEAF_SIZE triangles, but for a tree of one leaf.
    tree->node_capacity = count / (LEAF_SIZE / 2) * 2 + 1;
    tree->order = RBL_NEW_ARRAY(allocator, uint32_t, count);
    tree->nodes = RBL_NEW_ARRAY(allocator, rblWindingNode, tree->node_capacity);
    if (tree->order == NULL || tree->nodes == NULL || !sort_triangles(tree))
    {
        rbl_winding_tree_free(tree);
        return rbl_fail_memory();
    }
    build(tree, 0, count);
    return RBL_OK;
}

void rbl_winding_tree_free(rblWindingTree* tree)
{
    RBL_FREE_ARRAY(tree->allocator, tree->order, tree->count);
    RBL_FREE_ARRAY(tree->allocator, tree->nodes, tree->node_capacity);
    *tree = (rblWindingTree){.allocator = tree->allocator};
}

// ---- winding number ----

// The solid angle of a triangle (Van Oosterom and Strackee 1983), with a, b, c the corners seen from the
// point:
//   tan(angle / 2) = a . (b x c) / (|a| |b| |c| + (a . b) |c| + (b . c) |a| + (c . a) |b|)
static double solid_angle(const rblVec3d t[3], rblVec3d p)
{
    const rblVec3d a = rbl_sub3d(t[0], p);
    const rblVec3d b = rbl_sub3d(t[1], p);
    const rblVec3d c = rbl_sub3d(t[2], p);
    const double la = rbl_length3d(a);
    const double lb = rbl_length3d(b);
    const double lc = rbl_length3d(c);
    const double above = rbl_dot3d(a, rbl_cross3d(b, c));
    const double below = la * lb * lc + rbl_dot3d(a, b) * lc + rbl_dot3d(b, c) * la + rbl_dot3d(c, a) * lb;
    return 2 * rbl_atan2(above, below);
}

// The solid angle of what a node holds: its area seen edge-on or not, over the square of the distance.
static bool far_solid_angle(const rblWindingNode* node, rblVec3d p, double* out)
{
    const rblVec3d offset = rbl_sub3d(node->center, p);
    const double distance = rbl_length3d(offset);
    *out = rbl_dot3d(node->dipole, offset) / (distance * distance * distance);
    return distance > FAR_ENOUGH * node->radius;
}

double rbl_winding_tree_number(const rblWindingTree* tree, rblVec3d p)
{
    const double full = 12.566370614359172954; // 4 pi
    uint32_t waiting[DEEPEST];
    uint32_t count = 0;
    double sum = 0;
    waiting[count++] = 0;
    while (count > 0)
    {
        const uint32_t index = waiting[--count];
        const rblWindingNode* node = &tree->nodes[index];
        double angle;
        if (far_solid_angle(node, p, &angle))
        {
            sum += angle;
        }
        else if (node->second != 0)
        {
            waiting[count++] = node->second;
            waiting[count++] = index + 1;
        }
        else
        {
            for (uint32_t i = node->begin; i < node->end; ++i)
            {
                sum += solid_angle(triangle_at(tree, i), p);
            }
        }
    }
    return sum / full;
}

// ---- closest point ----

// How far along the edge from a to b its point closest to p lies.
static double along_edge(rblVec3d a, rblVec3d b, rblVec3d p)
{
    const rblVec3d edge = rbl_sub3d(b, a);
    const double length2 = rbl_dot3d(edge, edge);
    return length2 > 0 ? rbl_clampd(rbl_dot3d(rbl_sub3d(p, a), edge) / length2, 0, 1) : 0;
}

// Weights of the foot of p in the plane of the triangle; false when the foot lies outside, or there is no
// plane.
static bool foot_weights(const rblVec3d t[3], rblVec3d p, double weights[3])
{
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0]));
    const double size2 = rbl_dot3d(normal, normal);
    if (!(size2 > 0))
    {
        return false;
    }
    for (int i = 0; i < 3; ++i)
    {
        const rblVec3d b = t[(i + 1) % 3];
        const rblVec3d c = t[(i + 2) % 3];
        weights[i] = rbl_dot3d(rbl_cross3d(rbl_sub3d(b, p), rbl_sub3d(c, p)), normal) / size2;
    }
    return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0;
}

void rbl_closest_weights(const rblVec3d triangle[3], rblVec3d p, double weights[3])
{
    if (foot_weights(triangle, p, weights))
    {
        return;
    }
    double best = (double)INFINITY;
    for (int i = 0; i < 3; ++i)
    {
        const int k = (i + 1) % 3;
        const double s = along_edge(triangle[i], triangle[k], p);
        const double distance = rbl_distance3d(rbl_lerp3d(triangle[i], triangle[k], s), p);
        if (distance < best)
        {
            best = distance;
            weights[i] = 1 - s;
            weights[k] = s;
            weights[(i + 2) % 3] = 0;
        }
    }
}

typedef struct Closest
{
    double distance2;
    uint32_t triangle;
    double weights[3];
} Closest;

static void try_leaf(const rblWindingTree* tree, const rblWindingNode* node, rblVec3d p, Closest* closest)
{
    for (uint32_t i = node->begin; i < node->end; ++i)
    {
        const rblVec3d* t = triangle_at(tree, i);
        double weights[3];
        rbl_closest_weights(t, p, weights);
        const rblVec3d offset = rbl_sub3d(rbl_weighted_point(t, weights), p);
        const double distance2 = rbl_dot3d(offset, offset);
        if (distance2 < closest->distance2)
        {
            *closest = (Closest){distance2, tree->order[i], {weights[0], weights[1], weights[2]}};
        }
    }
}

uint32_t rbl_winding_tree_closest(const rblWindingTree* tree, rblVec3d p, double weights[3])
{
    uint32_t waiting[DEEPEST];
    uint32_t count = 0;
    Closest closest = {(double)INFINITY, tree->order[0], {1, 0, 0}};
    waiting[count++] = 0;
    while (count > 0)
    {
        const uint32_t index = waiting[--count];
        const rblWindingNode* node = &tree->nodes[index];
        if (rbl_aabbd_distance_squared(node->box, p) >= closest.distance2)
        {
            continue;
        }
        if (node->second == 0)
        {
            try_leaf(tree, node, p, &closest);
            continue;
        }
        // The nearer child last: it is taken first.
        const bool second_nearer = rbl_aabbd_distance_squared(tree->nodes[node->second].box, p) <
                                   rbl_aabbd_distance_squared(tree->nodes[index + 1].box, p);
        waiting[count++] = second_nearer ? index + 1 : node->second;
        waiting[count++] = second_nearer ? node->second : index + 1;
    }
    weights[0] = closest.weights[0];
    weights[1] = closest.weights[1];
    weights[2] = closest.weights[2];
    return closest.triangle;
}
