#include "base/error.h"
#include "math/float_bits.h"
#include "math/mat3.h"
#include "mesh/mesh.h"

// Largest difference of binary exponents that matters: a component that is scaled down by more is 0.
#define MAX_SHIFT 1500

typedef struct Transform
{
    const rblMeshView* view;
    rblMat3d linear;
    rblVec3d offset;
    // The matrix for normals, the inverse transpose, up to a positive factor: columns of moderate size, and a power
    // of two for each. The powers are separate because they may differ by more than the range of double.
    rblMat3d normal;
    int exponents[3];
    bool mirrors;
} Transform;

static rblResult prepare(Transform* transform)
{
    const rblMat3d* m = &transform->linear;
    if (!rbl_finite3d(m->cx) || !rbl_finite3d(m->cy) || !rbl_finite3d(m->cz) ||
        !rbl_finite3d(transform->offset))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: linear and offset must be finite");
    }
    const double sign = rbl_mat3d_determinant(m);
    if (sign == 0.0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: the determinant of linear is 0, must not be singular");
    }
    const rblVec3d columns[3] = {m->cx, m->cy, m->cz};
    rblVec3d unit[3];
    for (int i = 0; i < 3; ++i)
    {
        const double size = rbl_maxd(fabs(columns[i].x), rbl_maxd(fabs(columns[i].y), fabs(columns[i].z)));
        rbl_split_exponent(size, &transform->exponents[i]);
        unit[i] = rbl_scaled3d(columns[i], -transform->exponents[i]);
    }
    // The columns of the cofactor matrix, which is the inverse transpose times the determinant.
    const double side = sign > 0 ? 1 : -1;
    transform->mirrors = sign < 0;
    transform->normal.cx = rbl_scale3d(rbl_cross3d(unit[1], unit[2]), side);
    transform->normal.cy = rbl_scale3d(rbl_cross3d(unit[2], unit[0]), side);
    transform->normal.cz = rbl_scale3d(rbl_cross3d(unit[0], unit[1]), side);
    return RBL_OK;
}

static rblResult add_vertices(const Transform* transform, rblMeshBuilder* builder)
{
    const rblMeshView* view = transform->view;
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p =
            rbl_add3d(rbl_mat3d_apply(&transform->linear, view->positions[v]), transform->offset);
        if (!rbl_finite3d(p) && rbl_finite3d(view->positions[v]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: position %u overflows in the transform", v);
        }
        rbl_mesh_builder_vertex(builder, p);
    }
    return RBL_OK;
}

static rblVec3d transformed_normal(const Transform* transform, rblVec3d old)
{
    const double parts[3] = {old.x, old.y, old.z};
    int smallest = MAX_SHIFT;
    for (int i = 0; i < 3; ++i)
    {
        const bool counts = parts[i] != 0.0 && transform->exponents[i] < smallest;
        smallest = counts ? transform->exponents[i] : smallest;
    }
    double scaled[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
    {
        const int shift = smallest - transform->exponents[i]; // at most 0 where the component is not 0
        scaled[i] = parts[i] != 0.0 && shift > -MAX_SHIFT ? rbl_scaled(parts[i], shift) : 0.0;
    }
    const rblVec3d turned = rbl_mat3d_apply(&transform->normal, rbl_vec3d(scaled[0], scaled[1], scaled[2]));
    return rbl_normalize3d(turned, old);
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
            const rblVec3 unit = rbl_to_float3(
                transformed_normal(transform, rbl_to_double3(rbl_vec3(old[0], old[1], old[2]))));
            const float values[3] = {unit.x, unit.y, unit.z};
            rbl_mesh_builder_set(builder, i, added, values);
        }
    }
}

// A mirrored face starts at the same corner and has the opposite direction.
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

static rblResult make_transformed(const rblMeshView* view, const rblMat3d* linear, rblVec3d offset,
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
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: linear and out must not be null");
    }
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    rblMesh* transformed = NULL;
    const rblResult result =
        make_transformed(rbl_mesh_get_view(mesh), linear, offset, rbl_default_allocator(), &transformed);
    rbl_mesh_release(mesh);
    RBL_TRY(result);
    return rbl_mesh_register(transformed, out);
}
