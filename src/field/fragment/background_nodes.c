// Nodes, edges and sample points of a background.
#include "base/error.h"
#include "field/fragment/background.h"
#include "field/level_set/level_set_oracle.h"
#include "field/samples/samples.h"
#include "field/samples/samples_order.h"
#include "math/vec.h"
#include "mesh/mesh.h"

// ---- tuning ----
#define NODES_PER_JOB 256u  // nodes per block of a parallel loop
#define ON_SURFACE    1e-3f // relative to the mean edge; closer nodes use the gradient of the grid

// ---- distances ----

typedef struct Measuring
{
    rblBackground* background;
    const rblDistanceOracle* surface;
    const rblDistanceOracle* border; // of the mesh of all tetrahedra
} Measuring;

static void measure_node(const Measuring* m, rblVec3d position, uint32_t* hint, rblBackgroundNode* node)
{
    const rblDistanceOracle* surface = m->surface;
    rblClosestPoint closest = {.distance = INFINITY, .leaf = RBL_NO_LEAF};
    const rblVec3 p = rbl_to_float3(rbl_sub3d(position, surface->middle));
    (void)rbl_tree_closest(&surface->tree, p, INFINITY, *hint, &closest);
    *hint = closest.leaf;
    const bool inside = rbl_distance_oracle_inside(surface, position);
    node->position = rbl_to_float3(position);
    node->distance = inside ? closest.distance : -closest.distance;
    (void)rbl_level_set_distance(m->background->grid, node->position, &node->normal);
    if (closest.distance > ON_SURFACE * m->background->edge)
    {
        node->normal =
            rbl_normalize3(rbl_scale3(rbl_sub3(closest.point, p), inside ? 1.0f : -1.0f), node->normal);
    }
    uint32_t none = RBL_NO_LEAF;
    node->exit = (float)rbl_distance_oracle_evaluate(m->border, position, &none);
}

static void measure_range(rblRange range, void* context)
{
    const Measuring* m = context;
    uint32_t hint = RBL_NO_LEAF;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        measure_node(m, m->background->view->positions[i], &hint, &m->background->nodes[i]);
    }
}

static float mean_edge(const rblTetsView* view)
{
    double sum = 0.0;
    for (uint32_t tet = 0; tet < view->tet_count; ++tet)
    {
        rblVec3d corners[4];
        rbl_tet_corners(view, tet, corners);
        for (uint32_t e = 0; e < 6; ++e)
        {
            sum += rbl_length3d(rbl_sub3d(corners[rbl_tet_edges[e][0]], corners[rbl_tet_edges[e][1]]));
        }
    }
    return (float)(sum / (6.0 * view->tet_count));
}

static rblResult measure(rblBackground* b, const rblMeshView* surface, const rblMeshView* border)
{
    rblDistanceOracle near, far;
    RBL_TRY(rbl_distance_oracle_init(&near, surface, b->allocator));
    const rblResult result = rbl_distance_oracle_init(&far, border, b->allocator);
    if (result == RBL_OK)
    {
        Measuring m = {b, &near, &far};
        rbl_parallel_for(rbl_default_jobs(), b->node_count, NODES_PER_JOB, measure_range, &m);
        rbl_distance_oracle_free(&far);
    }
    rbl_distance_oracle_free(&near);
    return result;
}

rblResult rbl_background_measure_nodes(rblBackground* b)
{
    b->edge = mean_edge(b->view);
    b->nodes = RBL_NEW_ARRAY(b->allocator, rblBackgroundNode, b->node_count);
    if (b->nodes == NULL)
    {
        return rbl_fail_memory();
    }
    rblMeshId id;
    rblMesh* surface;
    rblMesh* border;
    RBL_TRY(rbl_shape_surface(&b->solid->view, &id));
    RBL_TRY(rbl_mesh_acquire(id, &surface));
    rblResult result = rbl_tets_surface_mesh(b->view, b->tet_count, &border);
    if (result == RBL_OK)
    {
        result = measure(b, rbl_mesh_get_view(surface), rbl_mesh_get_view(border));
        rbl_mesh_free(border);
    }
    rbl_mesh_release(surface);
    return result;
}

// ---- edges ----

static rblBackgroundTet functions_of(const rblVec3d corners[4])
{
    rblBackgroundTet out;
    const double six = 6.0 * rbl_tet_volume(corners);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint8_t* face = rbl_tet_faces[i];
        const rblVec3d a = corners[face[0]];
        const rblVec3d n = rbl_scale3d(
            rbl_cross3d(rbl_sub3d(corners[face[1]], a), rbl_sub3d(corners[face[2]], a)), -1.0 / six);
        out.x[i] = (float)n.x;
        out.y[i] = (float)n.y;
        out.z[i] = (float)n.z;
        out.o[i] = (float)-rbl_dot3d(n, a);
    }
    return out;
}

// Count the edges of each tetrahedron at both ends, write them, then remove repetitions.
static void gather_edges(rblBackground* b, uint32_t* all, uint32_t* starts)
{
    const rblTetsView* view = b->view;
    for (uint32_t pass = 0; pass < 2; ++pass)
    {
        for (size_t k = 0; k < 4 * (size_t)b->tet_count; ++k)
        {
            for (uint32_t j = 1; j < 4; ++j)
            {
                const uint32_t node = view->nodes[k];
                if (pass == 0)
                {
                    starts[node + 1] += 1;
                }
                else
                {
                    all[starts[node]++] = view->nodes[(k & ~(size_t)3) + ((k + j) & 3)];
                }
            }
        }
        for (uint32_t i = 0; pass == 0 && i < b->node_count; ++i)
        {
            starts[i + 1] += starts[i];
        }
    }
    for (uint32_t i = b->node_count; i > 0; --i)
    {
        starts[i] = starts[i - 1];
    }
    starts[0] = 0;
}

// Remove repetitions from the neighbours of a node, in the order of first occurrence; returns the number left. `seen`:
// per node, the last node that has listed it, plus 1.
static uint32_t remove_repetitions(uint32_t* list, uint32_t count, uint32_t node, uint32_t* seen)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        if (seen[list[k]] != node + 1)
        {
            seen[list[k]] = node + 1;
            list[kept++] = list[k];
        }
    }
    return kept;
}

static bool write_edges(rblBackground* b, uint32_t* all, const uint32_t* starts, uint32_t* seen)
{
    b->first_edges[0] = 0;
    for (uint32_t i = 0; i < b->node_count; ++i)
    {
        b->first_edges[i + 1] =
            b->first_edges[i] + remove_repetitions(all + starts[i], starts[i + 1] - starts[i], i, seen);
    }
    b->edge_count = b->first_edges[b->node_count];
    b->edges = RBL_NEW_ARRAY(b->allocator, rblBackgroundEdge, b->edge_count);
    for (uint32_t i = 0; b->edges != NULL && i < b->node_count; ++i)
    {
        for (uint32_t k = b->first_edges[i]; k < b->first_edges[i + 1]; ++k)
        {
            const uint32_t other = all[starts[i] + (k - b->first_edges[i])];
            const rblVec3d offset = rbl_sub3d(b->view->positions[other], b->view->positions[i]);
            b->edges[k] = (rblBackgroundEdge){other, (float)(1.0 / rbl_dot3d(offset, offset))};
        }
    }
    return b->edges != NULL;
}

rblResult rbl_background_connect(rblBackground* b)
{
    const size_t ends = 12 * (size_t)b->tet_count;
    uint32_t* all = RBL_NEW_ARRAY(b->allocator, uint32_t, ends);
    uint32_t* starts = rbl_alloc_zero(b->allocator, sizeof *starts * ((size_t)b->node_count + 1));
    uint32_t* seen = rbl_alloc_zero(b->allocator, sizeof *seen * b->node_count);
    b->functions = RBL_NEW_ARRAY(b->allocator, rblBackgroundTet, b->tet_count);
    b->first_edges = RBL_NEW_ARRAY(b->allocator, uint32_t, (size_t)b->node_count + 1);
    bool ok = all != NULL && starts != NULL && seen != NULL && b->functions != NULL && b->first_edges != NULL;
    if (ok)
    {
        for (uint32_t tet = 0; tet < b->tet_count; ++tet)
        {
            rblVec3d corners[4];
            rbl_tet_corners(b->view, tet, corners);
            b->functions[tet] = functions_of(corners);
        }
        gather_edges(b, all, starts);
        ok = write_edges(b, all, starts, seen);
    }
    RBL_FREE_ARRAY(b->allocator, all, ends);
    RBL_FREE_ARRAY(b->allocator, starts, (size_t)b->node_count + 1);
    RBL_FREE_ARRAY(b->allocator, seen, b->node_count);
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- template of samples ----

// Samples of the surface first, then the nodes inside the solid or on its surface.
static uint32_t gather_points(const rblBackground* b, const rblSampleTree* surface, rblVec3* points,
                              uint32_t* nodes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < surface->count; ++i)
    {
        nodes[count] = RBL_NONE;
        points[count++] = surface->points[i];
    }
    for (uint32_t i = 0; i < b->view->solid_node_count; ++i)
    {
        if (b->nodes[i].distance > -ON_SURFACE * b->edge)
        {
            nodes[count] = i;
            points[count++] = b->nodes[i].position;
        }
    }
    return count;
}

static rblResult write_points(rblBackground* b, const rblSampleOrder* order, const rblVec3* points,
                              const uint32_t* nodes)
{
    b->points = RBL_NEW_ARRAY(b->allocator, rblTemplatePoint, order->count);
    b->node_points = RBL_NEW_ARRAY(b->allocator, uint32_t, b->node_count);
    b->point_count = order->count;
    if (b->points == NULL || b->node_points == NULL)
    {
        return rbl_fail_memory();
    }
    memset(b->node_points, 0xFF, sizeof *b->node_points * b->node_count);
    for (uint32_t i = 0; i < order->count; ++i)
    {
        const uint32_t from = order->chosen[i];
        rblTemplatePoint* point = &b->points[i];
        *point = (rblTemplatePoint){points[from], order->parents[i], nodes[from], RBL_NONE, {0, 0, 0, 0}};
        if (point->node != RBL_NONE)
        {
            b->node_points[point->node] = i;
        }
        else
        {
            point->tet = rbl_background_locate(b, point->point, point->barycentric);
            if (point->tet == RBL_NONE)
            {
                return rbl_fail(RBL_ERROR_GEOMETRY,
                                "background: the surface at %g %g %g must be inside the tetrahedra",
                                (double)point->point.x, (double)point->point.y, (double)point->point.z);
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_background_order_points(rblBackground* b)
{
    const rblSampleTree* surface;
    RBL_TRY(rbl_shape_tree(b->solid, &surface));
    const size_t most = (size_t)surface->count + b->view->solid_node_count;
    rblVec3* points = RBL_NEW_ARRAY(b->allocator, rblVec3, most);
    uint32_t* nodes = RBL_NEW_ARRAY(b->allocator, uint32_t, most);
    rblResult result = points != NULL && nodes != NULL && most < RBL_NONE ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        const uint32_t count = gather_points(b, surface, points, nodes);
        rblSampleOrder order;
        result = rbl_sample_order_init(&order, points, count, b->allocator);
        if (result == RBL_OK)
        {
            result = write_points(b, &order, points, nodes);
            rbl_sample_order_free(&order);
        }
    }
    RBL_FREE_ARRAY(b->allocator, points, most);
    RBL_FREE_ARRAY(b->allocator, nodes, most);
    return result;
}
