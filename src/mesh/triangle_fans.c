#include "mesh/triangle_fans.h"

#include "math/aabb.h"
#include <string.h>

// Fans are built when some vertex has this many triangles; below it, testing each triangle is fast enough.
#define BUSY 48u

// ---- filling ----

static rblAabb opposite_edge_box(const rblTriangleSet* set, uint32_t triangle, uint32_t place)
{
    const rblVec3d p = set->view->positions[rbl_triangle_vertex(set, triangle, (place + 1) % 3)];
    const rblVec3d q = set->view->positions[rbl_triangle_vertex(set, triangle, (place + 2) % 3)];
    return rbl_scaled_box(set, rbl_min3d(p, q), rbl_max3d(p, q));
}

// The vertex of a triangle with the most triangles, so that neighbours choose the same one.
static rblTriangleFan fan_of_leaf(const rblTriangleSet* set, uint32_t triangle, const uint32_t* valences)
{
    uint32_t place = 0;
    for (uint32_t k = 1; k < 3; ++k)
    {
        const uint32_t vertex = rbl_triangle_vertex(set, triangle, k);
        const uint32_t best = rbl_triangle_vertex(set, triangle, place);
        place = valences[vertex] > valences[best] || (valences[vertex] == valences[best] && vertex < best)
                    ? k
                    : place;
    }
    return (rblTriangleFan){opposite_edge_box(set, triangle, place),
                            rbl_triangle_vertex(set, triangle, place)};
}

static void fill_fans(rblTriangleSet* set, const uint32_t* valences)
{
    const rblBvh tree = rbl_forest_tree(&set->forest, 0);
    const uint32_t leaf_level = tree.layout.leaf_level;
    for (uint32_t i = 0; i < tree.layout.leaves; ++i)
    {
        set->fans[tree.level_starts[leaf_level] + i] =
            fan_of_leaf(set, set->items.data[tree.order[i]], valences);
    }
    for (uint32_t level = leaf_level; level-- > 0;)
    {
        const uint32_t children = rbl_tree_real_on_level(&tree.layout, level + 1);
        for (uint32_t i = 0; i < rbl_tree_real_on_level(&tree.layout, level); ++i)
        {
            const rblTriangleFan* child = &set->fans[tree.level_starts[level + 1] + 2 * i];
            rblTriangleFan fan = child[0];
            if (2 * i + 1 < children)
            {
                fan.opposite = rbl_aabb_union(fan.opposite, child[1].opposite);
                fan.apex = fan.apex == child[1].apex ? fan.apex : RBL_NONE;
            }
            set->fans[tree.level_starts[level] + i] = fan;
        }
    }
}

bool rbl_triangle_fans_init(rblTriangleSet* set, const rblAllocator* allocator)
{
    const uint32_t vertex_count = set->view->vertex_count;
    uint32_t* valences = RBL_NEW_ARRAY(allocator, uint32_t, vertex_count);
    if (valences == NULL)
    {
        return vertex_count == 0;
    }
    memset(valences, 0, sizeof *valences * vertex_count);
    uint32_t busiest = 0;
    for (size_t i = 0; i < 3 * set->items.count; ++i)
    {
        const uint32_t vertex = rbl_triangle_vertex(set, set->items.data[i / 3], (uint32_t)(i % 3));
        valences[vertex] += 1;
        busiest = valences[vertex] > busiest ? valences[vertex] : busiest;
    }
    bool ok = true;
    if (busiest >= BUSY)
    {
        set->fan_count = rbl_tree_node_count(&set->forest.trees[0].layout);
        set->fans = RBL_NEW_ARRAY(allocator, rblTriangleFan, set->fan_count);
        ok = set->fans != NULL;
        if (ok)
        {
            fill_fans(set, valences);
        }
    }
    RBL_FREE_ARRAY(allocator, valences, vertex_count);
    return ok;
}

// ---- queries ----

static double rounding_error(rblVec3d normal)
{
    // Five operations, each with an error of 2^-53 of at most twice the largest coordinate (2 after scaling), or of
    // the smallest number.
    return 0x1p-48 * (fabs(normal.x) + fabs(normal.y) + fabs(normal.z)) + 0x1p-1068;
}

// The plane that contains the edge e and is perpendicular to the triangle of e and f. It is rotated away from the
// triangle by the least amount that keeps both edges on its positive side in spite of rounding errors.
static rblSidePlane side_plane(rblVec3d e, rblVec3d f)
{
    const rblVec3d none = {0, 0, 0};
    const rblVec3d across = rbl_sub3d(rbl_scale3d(f, rbl_dot3d(e, e)), rbl_scale3d(e, rbl_dot3d(e, f)));
    const rblVec3d between = rbl_add3d(rbl_normalize3d(e, none), rbl_normalize3d(f, none));
    rblSidePlane plane = {.normal = rbl_normalize3d(across, none)};
    plane.error = rounding_error(plane.normal);
    const double lack = rbl_maxd(-rbl_dot3d(plane.normal, e), 0) + 4 * plane.error;
    plane.normal = rbl_mul_add3d(plane.normal, 2 * lack / rbl_dot3d(between, e), between);
    plane.error = rounding_error(plane.normal);
    const bool trusted = rbl_dot3d(plane.normal, e) > plane.error && rbl_dot3d(plane.normal, f) > plane.error;
    return trusted ? plane : (rblSidePlane){.normal = none};
}

rblFanQuery rbl_fan_query(const rblTriangleSet* set, uint32_t triangle)
{
    rblFanQuery query;
    rblVec3d p[3];
    rbl_triangle_points(set, triangle, p);
    query.box =
        rbl_scaled_box(set, rbl_min3d(p[0], rbl_min3d(p[1], p[2])), rbl_max3d(p[0], rbl_max3d(p[1], p[2])));
    for (uint32_t k = 0; k < 3; ++k)
    {
        query.vertices[k] = rbl_triangle_vertex(set, triangle, k);
        query.points[k] = rbl_scale3d(p[k], set->scale);
        query.opposite[k] = opposite_edge_box(set, triangle, k);
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        const rblVec3d e = rbl_sub3d(query.points[(k + 1) % 3], query.points[k]);
        const rblVec3d f = rbl_sub3d(query.points[(k + 2) % 3], query.points[k]);
        query.planes[k][0] = side_plane(e, f);
        query.planes[k][1] = side_plane(f, e);
    }
    return query;
}

static bool is_behind(const rblSidePlane* plane, rblVec3d vertex, const rblAabb* box)
{
    const rblVec3d n = plane->normal;
    const rblVec3 nearest = {n.x > 0 ? box->upper.x : box->lower.x, n.y > 0 ? box->upper.y : box->lower.y,
                             n.z > 0 ? box->upper.z : box->lower.z};
    return rbl_dot3d(n, rbl_sub3d(rbl_to_double3(nearest), vertex)) < -plane->error;
}

bool rbl_fan_may_meet(const rblFanQuery* query, const rblTriangleFan* fan, const rblAabb* box)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (fan->apex == query->vertices[k])
        {
            return (rbl_aabb_overlaps(query->opposite[k], *box) ||
                    rbl_aabb_overlaps(query->box, fan->opposite)) &&
                   !is_behind(&query->planes[k][0], query->points[k], &fan->opposite) &&
                   !is_behind(&query->planes[k][1], query->points[k], &fan->opposite);
        }
    }
    return true;
}
