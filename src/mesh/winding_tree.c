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
#define FAR_ENOUGH 2.0

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

// Half solid angles summed up as the argument of a product of complex numbers, so that most need no
// arctangent.
typedef struct AngleSum
{
    double done;       // angles taken out of the product already
    double real, imag; // the product
    double bound;      // its argument is at most this
} AngleSum;

// Below pi, so that the argument of the product is the sum of those of its factors.
#define LARGEST_ARGUMENT 3.0

static void take_out(AngleSum* sum)
{
    sum->done += rbl_atan2(sum->imag, sum->real);
    *sum = (AngleSum){sum->done, 1, 0, 0};
}

// Half the solid angle of a triangle (Van Oosterom and Strackee 1983), a, b, c being the corners seen from
// the point:
//   tan(angle / 2) = a . (b x c) / (|a| |b| |c| + (a . b) |c| + (b . c) |a| + (c . a) |b|)
static void add_half_angle(const rblVec3d t[3], rblVec3d p, AngleSum* sum)
{
    const rblVec3d a = rbl_sub3d(t[0], p);
    const rblVec3d b = rbl_sub3d(t[1], p);
    const rblVec3d c = rbl_sub3d(t[2], p);
    const double la = rbl_length3d(a);
    const double lb = rbl_length3d(b);
    const double lc = rbl_length3d(c);
    const double above = rbl_dot3d(a, rbl_cross3d(b, c));
    const double below = la * lb * lc + rbl_dot3d(a, b) * lc + rbl_dot3d(b, c) * la + rbl_dot3d(c, a) * lb;
    const double tangent = above / below;
    if (!(below > 0 && fabs(tangent) < LARGEST_ARGUMENT))
    {
        sum->done += rbl_atan2(above, below);
        return;
    }
    sum->bound += fabs(tangent); // an angle is smaller than its tangent
    if (sum->bound > LARGEST_ARGUMENT)
    {
        take_out(sum);
        sum->bound = fabs(tangent);
    }
    const double real = sum->real - sum->imag * tangent;
    sum->imag += sum->real * tangent;
    sum->real = real;
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
    double far = 0;
    AngleSum near = {0, 1, 0, 0};
    waiting[count++] = 0;
    while (count > 0)
    {
        const uint32_t index = waiting[--count];
        const rblWindingNode* node = &tree->nodes[index];
        double angle;
        if (far_solid_angle(node, p, &angle))
        {
            far += angle;
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
                add_half_angle(triangle_at(tree, i), p, &near);
            }
        }
    }
    take_out(&near);
    return (far + 2 * near.done) / full;
}

// ---- closest point ----

static void set_weights(double weights[3], double a, double b, double c)
{
    weights[0] = a;
    weights[1] = b;
    weights[2] = c;
}

// A share of an edge, safe for one without length.
static double share(double part, double rest)
{
    return part + rest > 0 ? part / (part + rest) : 0;
}

// By the region of the plane that the foot of p falls into: beyond a corner, beyond an edge, or over the
// inside (Ericson 2004, section 5.1.5). ap . ab is called ap_ab, and so on.
void rbl_closest_weights(const rblVec3d triangle[3], rblVec3d p, double weights[3])
{
    const rblVec3d ab = rbl_sub3d(triangle[1], triangle[0]);
    const rblVec3d ac = rbl_sub3d(triangle[2], triangle[0]);
    const rblVec3d ap = rbl_sub3d(p, triangle[0]);
    const rblVec3d bp = rbl_sub3d(p, triangle[1]);
    const rblVec3d cp = rbl_sub3d(p, triangle[2]);
    const double ap_ab = rbl_dot3d(ap, ab), ap_ac = rbl_dot3d(ap, ac);
    const double bp_ab = rbl_dot3d(bp, ab), bp_ac = rbl_dot3d(bp, ac);
    const double cp_ab = rbl_dot3d(cp, ab), cp_ac = rbl_dot3d(cp, ac);
    // Areas of the triangles between the foot and each edge, times twice the whole.
    const double over_a = bp_ab * cp_ac - cp_ab * bp_ac;
    const double over_b = cp_ab * ap_ac - ap_ab * cp_ac;
    const double over_c = ap_ab * bp_ac - bp_ab * ap_ac;
    if (ap_ab <= 0 && ap_ac <= 0)
    {
        set_weights(weights, 1, 0, 0);
    }
    else if (bp_ab >= 0 && bp_ac <= bp_ab)
    {
        set_weights(weights, 0, 1, 0);
    }
    else if (cp_ac >= 0 && cp_ab <= cp_ac)
    {
        set_weights(weights, 0, 0, 1);
    }
    else if (over_c <= 0 && ap_ab >= 0 && bp_ab <= 0)
    {
        const double t = share(ap_ab, -bp_ab);
        set_weights(weights, 1 - t, t, 0);
    }
    else if (over_b <= 0 && ap_ac >= 0 && cp_ac <= 0)
    {
        const double t = share(ap_ac, -cp_ac);
        set_weights(weights, 1 - t, 0, t);
    }
    else if (over_a <= 0 && bp_ac - bp_ab >= 0 && cp_ab - cp_ac >= 0)
    {
        const double t = share(bp_ac - bp_ab, cp_ab - cp_ac);
        set_weights(weights, 0, 1 - t, t);
    }
    else
    {
        const double whole = over_a + over_b + over_c;
        set_weights(weights, over_a / whole, over_b / whole, over_c / whole);
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
