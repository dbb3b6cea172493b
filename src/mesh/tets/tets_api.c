// The public calls of rubble/tetrahedra.h that only check, look up and copy.
#include "base/error.h"
#include "base/jobs.h"
#include "mesh/mesh.h"
#include "mesh/tets/tets_locate.h"
#include <string.h>

static rblResult copy_parts(const rblTetsView* view, rblTetsParts* parts)
{
    const size_t count = view->tet_count;
    if (!rbl_array_resize(&parts->positions, view->node_count) ||
        !rbl_array_resize(&parts->nodes, 4 * count) ||
        !rbl_array_resize(&parts->regions, view->regions != NULL ? count : 0))
    {
        return rbl_fail_memory();
    }
    memcpy(parts->positions.data, view->positions, sizeof *view->positions * view->node_count);
    memcpy(parts->nodes.data, view->nodes, sizeof *view->nodes * 4 * count);
    if (view->regions != NULL)
    {
        memcpy(parts->regions.data, view->regions, sizeof *view->regions * count);
    }
    parts->solid_node_count = view->node_count;
    parts->solid_tet_count = view->tet_count;
    return RBL_OK;
}

rblResult rbl_tets_create(const rblTetsView* view, rblTetsId* out)
{
    if (view == NULL || out == NULL || view->positions == NULL || view->nodes == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: view, positions, nodes and out must not be null");
    }
    if (view->tet_count > RBL_MAX_TETS || view->tet_count == 0 || view->node_count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: the number of tetrahedra must be 1 to %u",
                        RBL_MAX_TETS);
    }
    rblTetsParts parts;
    rbl_tets_parts_init(&parts, rbl_default_allocator());
    const rblResult result = copy_parts(view, &parts);
    if (result != RBL_OK)
    {
        rbl_tets_parts_free(&parts);
        return result;
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_new(&parts, NULL, rbl_default_allocator(), &tets));
    return rbl_tets_register(tets, out);
}

rblResult rbl_tets_view(rblTetsId id, rblTetsView* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: out must not be null");
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(id, &tets));
    *out = *rbl_tets_get_view(tets);
    rbl_tets_release(tets);
    return RBL_OK;
}

typedef struct Location
{
    const rblTets* tets;
    const rblVec3d* points;
    uint32_t* out;
} Location;

static void locate_points(rblRange range, void* context)
{
    const Location* location = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        location->out[i] = rbl_tets_find(location->tets, location->points[i]);
    }
}

rblResult rbl_tets_locate(rblTetsId id, const rblVec3d* points, uint32_t count, uint32_t* out)
{
    if (count > 0 && (points == NULL || out == NULL))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: points and out must not be null");
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(id, &tets));
    Location location = {tets, points, out};
    rbl_parallel_for(rbl_default_jobs(), count, 256, locate_points, &location);
    rbl_tets_release(tets);
    return RBL_OK;
}

// ---- the surface ----

static void add_surface_face(rblMeshBuilder* builder, const rblTetsView* view, uint32_t tet, uint32_t k,
                             uint32_t* numbers)
{
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t node = view->nodes[4 * (size_t)tet + rbl_tet_faces[k][i]];
        if (numbers[node] == RBL_NONE)
        {
            numbers[node] = rbl_mesh_builder_vertex(builder, view->positions[node]);
        }
        rbl_mesh_builder_corner(builder, numbers[node]);
    }
    rbl_mesh_builder_face(builder, 0, 0, tet);
}

rblResult rbl_tets_surface_mesh(const rblTetsView* view, uint32_t tet_count, rblMesh** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    uint32_t* numbers = RBL_NEW_ARRAY(allocator, uint32_t, view->node_count);
    if (numbers == NULL)
    {
        return rbl_fail_memory();
    }
    memset(numbers, 0xFF, sizeof *numbers * view->node_count); // RBL_NONE
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, allocator);
    for (uint32_t face = 0; face < 4 * tet_count; ++face)
    {
        if (view->neighbors[face] >= tet_count)
        {
            add_surface_face(&builder, view, face / 4, face % 4, numbers);
        }
    }
    RBL_FREE_ARRAY(allocator, numbers, view->node_count);
    return rbl_mesh_builder_finish(&builder, out);
}

rblResult rbl_tets_surface(rblTetsId id, bool rim, rblMeshId* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: out must not be null");
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(id, &tets));
    const rblTetsView* view = rbl_tets_get_view(tets);
    rblMesh* mesh = NULL;
    const rblResult result =
        rbl_tets_surface_mesh(view, rim ? view->tet_count : view->solid_tet_count, &mesh);
    rbl_tets_release(tets);
    RBL_TRY(result);
    return rbl_mesh_register(mesh, out);
}
