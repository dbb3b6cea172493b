#include "field/fragment/background.h"

#include "base/error.h"
#include "math/vec.h"
#include "mesh/tets/tets_locate.h"

// ---- tuning ----
#define ROUNDING   1e-5f // tolerance of barycentric coordinates of a point inside a tetrahedron
#define WALK_STEPS 32u   // tetrahedra that a search visits before it uses the cells

// ---- creation and references ----

static void free_background(rblBackground* b)
{
    const rblAllocator* allocator = b->allocator;
    const size_t cells = b->first_cell_nodes == NULL ? 0 : rbl_background_cells(b);
    RBL_FREE_ARRAY(allocator, b->nodes, b->node_count);
    RBL_FREE_ARRAY(allocator, b->functions, b->tet_count);
    RBL_FREE_ARRAY(allocator, b->first_edges, (size_t)b->node_count + 1);
    RBL_FREE_ARRAY(allocator, b->edges, b->edge_count);
    RBL_FREE_ARRAY(allocator, b->seeds, (size_t)b->seed_size[0] * b->seed_size[1] * b->seed_size[2]);
    RBL_FREE_ARRAY(allocator, b->cell_nodes, b->first_cell_nodes == NULL ? 0 : b->first_cell_nodes[cells]);
    RBL_FREE_ARRAY(allocator, b->first_cell_nodes, cells + 1);
    RBL_FREE_ARRAY(allocator, b->points, b->point_count);
    RBL_FREE_ARRAY(allocator, b->node_points, b->node_count);
    if (b->tets != NULL)
    {
        rbl_tets_release(b->tets);
    }
    rbl_shape_release(b->solid);
    rbl_free(allocator, b, sizeof *b);
}

static rblResult retain_parts(rblBackground* b, rblShapeId solid, rblTetsId tets)
{
    rblShapeView view;
    RBL_TRY(rbl_shape_acquire(solid, &view));
    b->solid = view.shape;
    b->grid = rbl_shape_level_set(view.shape);
    if (b->grid == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "background: the solid is a %s, must be a level set", view.kind);
    }
    RBL_TRY(rbl_tets_acquire(tets, &b->tets));
    b->view = rbl_tets_get_view(b->tets);
    b->node_count = b->view->node_count;
    b->tet_count = b->view->tet_count;
    return RBL_OK;
}

static rblResult fill(rblBackground* b, rblShapeId solid, rblTetsId tets)
{
    RBL_TRY(retain_parts(b, solid, tets));
    RBL_TRY(rbl_background_measure_nodes(b));
    RBL_TRY(rbl_background_connect(b));
    RBL_TRY(rbl_background_fill_seeds(b));
    RBL_TRY(rbl_background_fill_cells(b));
    return rbl_background_order_points(b);
}

rblResult rbl_background_create(rblShapeId solid, rblTetsId tets, rblBackground** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblBackground* b = rbl_alloc_zero(allocator, sizeof *b);
    if (b == NULL)
    {
        return rbl_fail_memory();
    }
    b->allocator = allocator;
    atomic_init(&b->references, 1);
    const rblResult result = fill(b, solid, tets);
    if (result != RBL_OK)
    {
        free_background(b);
        return result;
    }
    *out = b;
    return RBL_OK;
}

void rbl_background_retain(const rblBackground* background)
{
    atomic_fetch_add(&((rblBackground*)(uintptr_t)background)->references, 1);
}

void rbl_background_release(const rblBackground* background)
{
    rblBackground* b = (rblBackground*)(uintptr_t)background;
    if (b != NULL && atomic_fetch_sub(&b->references, 1) == 1)
    {
        free_background(b);
    }
}

// ---- location ----

static rblFloat4 coordinates(const rblBackgroundTet* tet, rblVec3 p)
{
    const rblFloat4 xy =
        rbl_add4(rbl_mul4(rbl_load4(tet->x), rbl_splat4(p.x)), rbl_mul4(rbl_load4(tet->y), rbl_splat4(p.y)));
    return rbl_add4(rbl_add4(xy, rbl_mul4(rbl_load4(tet->z), rbl_splat4(p.z))), rbl_load4(tet->o));
}

static uint32_t seed_at(const rblBackground* b, rblVec3 p)
{
    const float x = (p.x - b->seed_origin.x) * b->seed_inverse;
    const float y = (p.y - b->seed_origin.y) * b->seed_inverse;
    const float z = (p.z - b->seed_origin.z) * b->seed_inverse;
    if (!(x >= 0.0f && x < (float)b->seed_size[0] && y >= 0.0f && y < (float)b->seed_size[1] && z >= 0.0f &&
          z < (float)b->seed_size[2]))
    {
        return RBL_NONE;
    }
    return b->seeds[(uint32_t)(int32_t)x +
                    b->seed_size[0] * ((uint32_t)(int32_t)y + b->seed_size[1] * (uint32_t)(int32_t)z)];
}

static uint32_t lowest_lane(const float v[4])
{
    const uint32_t low = v[1] < v[0] ? 1u : 0u;
    const uint32_t high = v[3] < v[2] ? 3u : 2u;
    return v[high] < v[low] ? high : low;
}

// From tetrahedron to tetrahedron, through the face that the point is farthest beyond.
uint32_t rbl_background_walk(const rblBackground* b, rblVec3 p, float barycentric[4])
{
    uint32_t tet = seed_at(b, p);
    const rblFloat4 least = rbl_splat4(-ROUNDING);
    for (uint32_t step = 0; step < WALK_STEPS && tet != RBL_NONE; ++step)
    {
        const rblFloat4 at = coordinates(&b->functions[tet], p);
        rbl_store4(barycentric, at);
        if (rbl_mask4(rbl_less4(at, least)) == 0)
        {
            return tet;
        }
        tet = b->view->neighbors[4 * (size_t)tet + lowest_lane(barycentric)];
    }
    return RBL_NONE;
}

// Exact predicates find the points that the walk misses: at the border and in flat corners.
uint32_t rbl_background_locate(const rblBackground* b, rblVec3 p, float barycentric[4])
{
    uint32_t tet = rbl_background_walk(b, p, barycentric);
    if (tet == RBL_NONE && seed_at(b, p) != RBL_NONE)
    {
        tet = rbl_tets_find(b->tets, rbl_to_double3(p));
        if (tet != RBL_NONE)
        {
            rbl_store4(barycentric, coordinates(&b->functions[tet], p));
        }
    }
    return tet;
}
