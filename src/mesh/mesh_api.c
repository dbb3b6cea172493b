// The public calls of rubble/mesh.h: check, look up, work on views, register.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/mesh.h"

static rblResult check_layout(const rblMeshView* view)
{
    if (view->positions == NULL || view->face_starts == NULL || view->corner_vertices == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "mesh: positions, face_starts and corner_vertices must not be null");
    }
    if (view->vertex_count == 0 || view->face_count == 0 || view->corner_count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "mesh: there are no vertices or no faces, at least one is needed");
    }
    if (view->vertex_count > RBL_MAX_ELEMENTS || view->corner_count > RBL_MAX_ELEMENTS)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "mesh: %u vertices and %u corners, each must be at most %u",
                        view->vertex_count, view->corner_count, RBL_MAX_ELEMENTS);
    }
    if (view->face_starts[0] != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: face_starts[0] is %u, must be 0", view->face_starts[0]);
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const uint32_t begin = view->face_starts[f];
        const uint32_t end = view->face_starts[f + 1];
        if (end > view->corner_count || end < begin || end - begin < 3)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "mesh: face %u has corners %u to %u, at least three are needed", f, begin, end);
        }
    }
    if (view->face_starts[view->face_count] != view->corner_count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: the last face ends at corner %u, but there are %u corners",
                        view->face_starts[view->face_count], view->corner_count);
    }
    return RBL_OK;
}

static rblResult check_numbers(const rblMeshView* view)
{
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        if (view->corner_vertices[c] >= view->vertex_count)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: corner %u has vertex %u, but there are %u vertices", c,
                            view->corner_vertices[c], view->vertex_count);
        }
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        if (!rbl_finite3d(view->positions[v]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: position %u must be finite", v);
        }
    }
    return RBL_OK;
}

static rblResult check_layer(const rblMeshView* view, uint32_t index)
{
    const rblLayer* layer = &view->layers[index];
    if ((unsigned)layer->kind >= RBL_LAYER_KIND_COUNT || layer->data == NULL ||
        layer->components != rbl_layer_components(layer->kind))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "mesh: layer %u has an unknown kind, no data or a wrong component count", index);
    }
    for (size_t i = 0; i < (size_t)view->corner_count * layer->components; ++i)
    {
        if (!rbl_finite((double)layer->data[i]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: layer %u must be finite (corner %zu)", index,
                            i / layer->components);
        }
    }
    return RBL_OK;
}

static rblResult check_names(const char* const* names, uint32_t count, const uint32_t* indices,
                             uint32_t face_count, const char* what)
{
    if (count > 0 && names == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: names must not be null for %u %s names", count, what);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (names[i] == NULL)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: %s name %u must not be null", what, i);
        }
    }
    for (uint32_t f = 0; count > 0 && indices != NULL && f < face_count; ++f)
    {
        if (indices[f] >= count)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: face %u has %s %u, but there are %u", f, what,
                            indices[f], count);
        }
    }
    return RBL_OK;
}

static rblResult check_attributes(const rblMeshView* view)
{
    if (view->layer_count > 0 && view->layers == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: layers must not be null for a layer_count of %u",
                        view->layer_count);
    }
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        RBL_TRY(check_layer(view, i));
    }
    RBL_TRY(check_names(view->material_names, view->material_count, view->face_materials, view->face_count,
                        "material"));
    return check_names(view->group_names, view->group_count, view->face_groups, view->face_count, "group");
}

rblResult rbl_mesh_create(const rblMeshView* view, rblMeshId* out)
{
    if (view == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: view and out must not be null");
    }
    RBL_TRY(check_layout(view));
    RBL_TRY(check_numbers(view));
    RBL_TRY(check_attributes(view));
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    rbl_mesh_builder_copy(&builder, view);
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_builder_finish(&builder, &mesh));
    return rbl_mesh_register(mesh, out);
}

rblResult rbl_mesh_view(rblMeshId id, rblMeshView* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: out must not be null");
    }
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    *out = *rbl_mesh_get_view(mesh);
    rbl_mesh_release(mesh);
    return RBL_OK;
}
