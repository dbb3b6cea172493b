#include "base/error.h"
#include "math/predicates.h"
#include "math/vec.h"
#include "mesh/mesh.h"

static double largest_entry(const rblMat3d* m)
{
    const double entries[9] = {m->cx.x, m->cx.y, m->cx.z, m->cy.x, m->cy.y,
                               m->cy.z, m->cz.x, m->cz.y, m->cz.z};
    double largest = 0;
    for (int i = 0; i < 9; ++i)
    {
        largest = rbl_maxd(fabs(entries[i]), largest);
    }
    return largest;
}

// The same matrix times a power of two, entries at most 1: products of its entries neither overflow nor
// vanish.
static rblMat3d scaled_to_unit(const rblMat3d* m)
{
    const double largest = largest_entry(m);
    double scale = 1;
    while (largest > 0 && largest * scale < 0.5 && scale < 0x1p+1000)
    {
        scale *= 2;
    }
    while (largest * scale > 1)
    {
        scale *= 0.5;
    }
    return (rblMat3d){rbl_scale3d(m->cx, scale), rbl_scale3d(m->cy, scale), rbl_scale3d(m->cz, scale)};
}

typedef struct Transform
{
    const rblMeshView* view;
    rblMat3d linear;
    rblVec3d offset;
    rblMat3d normal; // what normals are multiplied by: the inverse transpose, but for a positive factor
    bool mirrors;
} Transform;

static rblResult prepare(Transform* transform)
{
    const rblMat3d* m = &transform->linear;
    if (!rbl_finite3d(m->cx) || !rbl_finite3d(m->cy) || !rbl_finite3d(m->cz) ||
        !rbl_finite3d(transform->offset))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "transform: the matrix or the offset is not finite");
    }
    const rblMat3d unit = scaled_to_unit(m);
    const double sign = rbl_orient3d(unit.cx, unit.cy, unit.cz, rbl_vec3d(0, 0, 0));
    if (!(sign != 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "transform: the matrix is singular, it flattens the mesh");
    }
    // The columns of the cofactor matrix, which is the inverse transpose times the determinant.
    const double side = sign > 0 ? 1 : -1;
    transform->mirrors = sign < 0;
    transform->normal.cx = rbl_scale3d(rbl_cross3d(unit.cy, unit.cz), side);
    transform->normal.cy = rbl_scale3d(rbl_cross3d(unit.cz, unit.cx), side);
    transform->normal.cz = rbl_scale3d(rbl_cross3d(unit.cx, unit.cy), side);
    return RBL_OK;
}

static rblVec3d multiply(const rblMat3d* m, rblVec3d v)
{
    return rbl_add3d(rbl_add3d(rbl_scale3d(m->cx, v.x), rbl_scale3d(m->cy, v.y)), rbl_scale3d(m->cz, v.z));
}

static rblResult add_vertices(const Transform* transform, rblMeshBuilder* builder)
{
    const rblMeshView* view = transform->view;
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = rbl_add3d(multiply(&transform->linear, view->positions[v]), transform->offset);
        if (!rbl_finite3d(p) && rbl_finite3d(view->positions[v]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "transform: position %u becomes too large for a number", v);
        }
        rbl_mesh_builder_vertex(builder, p);
    }
    return RBL_OK;
}

static void add_corner(const Transform* transform, rblMeshBuilder* builder, uint32_t corner)
{
    const rblMeshView* view = transform->view;
    const uint32_t added = rbl_mesh_builder_corner_copy(builder, view->corner_vertices[corner], view, corner);
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        if (view->layers[i].kind == RBL_LAYER_NORMAL)
        {
            const float* old = view->layers[i].data + (size_t)corner * 3;
            const rblVec3d turned =
                multiply(&transform->normal, rbl_vec3d((double)old[0], (double)old[1], (double)old[2]));
            const rblVec3 unit = rbl_to_float3(rbl_normalize3d(turned, rbl_vec3d(0, 0, 0)));
            const float values[3] = {unit.x, unit.y, unit.z};
            rbl_mesh_builder_set(builder, i, added, values);
        }
    }
}

// A mirrored face starts at the same corner and runs the other way.
static void add_faces(const Transform* transform, rblMeshBuilder* builder)
{
    const rblMeshView* view = transform->view;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const uint32_t begin = view->face_starts[f];
        const uint32_t size = rbl_face_size(view, f);
        for (uint32_t i = 0; i < size; ++i)
        {
            add_corner(transform, builder, transform->mirrors && i > 0 ? begin + size - i : begin + i);
        }
        rbl_mesh_builder_face(builder, view->face_materials[f], view->face_groups[f], view->face_origins[f]);
    }
}

rblResult rbl_mesh_transformed(const rblMeshView* view, const rblMat3d* linear, rblVec3d offset,
                               const rblAllocator* allocator, rblMesh** out)
{
    Transform transform = {.view = view, .linear = *linear, .offset = offset};
    RBL_TRY(prepare(&transform));
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, allocator);
    rbl_mesh_builder_like(&builder, view);
    rbl_mesh_builder_reserve(&builder, view->vertex_count, view->face_count, view->corner_count);
    const rblResult result = add_vertices(&transform, &builder);
    if (result != RBL_OK)
    {
        rbl_mesh_builder_discard(&builder);
        return result;
    }
    add_faces(&transform, &builder);
    return rbl_mesh_builder_finish(&builder, out);
}

rblResult rbl_mesh_transform(rblMeshId id, const rblMat3d* linear, rblVec3d offset, rblMeshId* out)
{
    if (linear == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "transform: linear and out must not be null");
    }
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    rblMesh* transformed = NULL;
    const rblResult result =
        rbl_mesh_transformed(rbl_mesh_get_view(mesh), linear, offset, rbl_default_allocator(), &transformed);
    rbl_mesh_release(mesh);
    RBL_TRY(result);
    return rbl_mesh_register(transformed, out);
}
