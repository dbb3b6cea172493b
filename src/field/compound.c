// Compounds. The field of a compound is the smallest distance of all children.
#include "base/error.h"
#include "field/field.h"
#include "field/samples/surface_samples.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "math/transform.h"
#include "mesh/mesh.h"

extern const rblShapeKind rbl_compound_kind;

// ---- tuning ----
// Relative to the radius; samples that are deeper than this inside another child are removed.
#define HIDDEN 1e-4f

static size_t compound_bytes(uint32_t count)
{
    return sizeof(rblShapeParts) + count * sizeof(rblShapePart);
}

// Exact outside. Inside it is the depth in one child, which is at most the depth in the union.
static float compound_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblShapeParts* compound = data;
    float best = INFINITY;
    *gradient = rbl_vec3(0.0f, 1.0f, 0.0f);
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblShapePart* child = &compound->parts[i];
        if (!(sqrtf(rbl_aabb_distance_squared(child->box, point)) < best))
        {
            continue;
        }
        rblVec3 slope;
        const rblVec3 local = rbl_transform_inverse_point(child->pose, point);
        const float distance = child->shape->kind->distance(child->shape->data, local, &slope);
        if (distance < best)
        {
            best = distance;
            *gradient = rbl_rotate3(child->pose.q, slope);
        }
    }
    return best;
}

static void compound_free(void* data, const rblAllocator* allocator)
{
    rblShapeParts* compound = data;
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        rbl_shape_release(compound->parts[i].shape);
    }
    rbl_free(allocator, compound, compound_bytes(compound->count));
}

static const rblShapeParts* compound_parts(const void* data)
{
    return data;
}

static void compound_field(const rblShape* shape, rblField* field)
{
    const rblShapeParts* compound = shape->data;
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        field->slack = rbl_maxf(rbl_field_of(compound->parts[i].shape).slack, field->slack);
    }
}

static rblResult visit(const rblShape* shape, const rblSourceVisitor* visitor)
{
    const rblShapeParts* compound = shape->data;
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        RBL_TRY(visitor->shape(compound->parts[i].shape, visitor->context));
    }
    return RBL_OK;
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    const rblShapeParts* compound = shape->data;
    rbl_put_varint(sink, compound->count);
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblShapePart* part = &compound->parts[i];
        rbl_put_varint(sink, numbers->shape(part->shape, numbers->context));
        rbl_put_floats(sink, &part->pose.p.x, 3);
        rbl_put_floats(sink, &part->given.x, 4);
    }
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_take_count(source, 1 + 7 * sizeof(float));
    rblShapeChild* children = RBL_NEW_ARRAY(allocator, rblShapeChild, (size_t)count + 1);
    if (children == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t number = rbl_take_u32_varint(source);
        children[i].shape = number < tables->shape_count ? tables->shapes[number] : (rblShapeId){0};
        rbl_take_floats(source, &children[i].pose.p.x, 7);
    }
    const rblResult result = source->failed ? rbl_shape_fail_damaged(&rbl_compound_kind)
                                            : rbl_shape_create_compound(children, count, out);
    RBL_FREE_ARRAY(allocator, children, (size_t)count + 1);
    return result;
}

const rblShapeKind rbl_compound_kind = {.name = "compound",
                                        .code = 8,
                                        .distance = compound_distance,
                                        .describe_field = compound_field,
                                        .parts = compound_parts,
                                        .visit = visit,
                                        .put = put,
                                        .take = take,
                                        .free = compound_free};

// ---- checks ----

static rblResult check_child(const rblShapeChild* child, uint32_t index)
{
    rblShapeView view;
    const rblResult result = rbl_shape_view(child->shape, &view);
    if (result != RBL_OK)
    {
        return rbl_fail(result, "compound: child %u must exist: its id is null or was destroyed", index);
    }
    if (!view.shape->kind->joinable)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "compound: child %u is a %s, must be a bounded shape without children of its own",
                        index, view.kind);
    }
    const float norm = rbl_quat_dot(child->pose.q, child->pose.q);
    if (!rbl_finite3(child->pose.p) || !(fabsf(norm - 1.0f) < 1e-2f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "compound: the pose of child %u must be finite with a unit quaternion", index);
    }
    return RBL_OK;
}

static rblResult check_children(const rblShapeChild* children, uint32_t count, const rblShapeId* out)
{
    if (children == NULL || out == NULL || count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "compound: children and out must not be null, and count must be at least 1");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(check_child(&children[i], i));
    }
    return RBL_OK;
}

// Retain all children, or none on failure.
static rblResult retain_children(const rblShapeChild* children, uint32_t count, const rblAllocator* allocator,
                                 rblShapeParts** out)
{
    rblShapeParts* compound = rbl_alloc_zero(allocator, compound_bytes(count));
    if (compound == NULL)
    {
        return rbl_fail_memory();
    }
    compound->count = count;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblShapeView view;
        const rblResult result = rbl_shape_acquire(children[i].shape, &view);
        if (result != RBL_OK)
        {
            compound_free(compound, allocator);
            return result;
        }
        const rblTransform pose = {children[i].pose.p, rbl_quat_normalize(children[i].pose.q)};
        compound->parts[i] =
            (rblShapePart){view.shape, pose, rbl_shape_bounds_at(&view, pose), children[i].pose.q};
    }
    *out = compound;
    return RBL_OK;
}

// ---- mass, view, samples, surface ----

static rblVec3d child_center(const rblShapePart* child)
{
    const rblVec3d rotated = rbl_rotate3d(rbl_to_double_quat(child->pose.q), child->shape->view.mass.center);
    return rbl_add3d(rotated, rbl_to_double3(child->pose.p));
}

// R I R^T, shifted by Steiner's theorem: + m (r.r 1 - r r^T).
static rblMat3d child_inertia(const rblShapePart* child, rblVec3d center)
{
    const rblMassProperties* mass = &child->shape->view.mass;
    const rblMat3d r = rbl_quatd_to_mat3d(rbl_quatd_normalize(rbl_to_double_quat(child->pose.q)));
    const rblMat3d back = rbl_mat3d_transpose(&r);
    const rblMat3d half_rotated = rbl_mat3d_mul(&r, &mass->inertia);
    const rblMat3d rotated = rbl_mat3d_mul(&half_rotated, &back);
    const rblVec3d arm = rbl_sub3d(child_center(child), center);
    const double squared = rbl_dot3d(arm, arm);
    const rblMat3d outer = rbl_mat3d_outer(arm, arm);
    const rblMat3d minus = rbl_mat3d_scale(&outer, -1.0);
    const rblMat3d round = rbl_mat3d_diagonal(squared, squared, squared);
    const rblMat3d moved = rbl_mat3d_add(&round, &minus);
    const rblMat3d steiner = rbl_mat3d_scale(&moved, mass->mass);
    return rbl_mat3d_add(&rotated, &steiner);
}

static rblMassProperties add_masses(const rblShapeParts* compound)
{
    rblMassProperties sum = {.volume = 0.0};
    rblVec3d weighted = {0, 0, 0};
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblMassProperties* mass = &compound->parts[i].shape->view.mass;
        sum.volume += mass->volume;
        sum.mass += mass->mass;
        weighted = rbl_mul_add3d(weighted, mass->mass, child_center(&compound->parts[i]));
    }
    sum.center = rbl_scale3d(weighted, 1.0 / sum.mass);
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblMat3d part = child_inertia(&compound->parts[i], sum.center);
        sum.inertia = rbl_mat3d_add(&sum.inertia, &part);
    }
    rbl_eigen_symmetric3d(&sum.inertia, &sum.moments, &sum.principal_axes);
    return sum;
}

static void fill_view(rblShapeView* view, const rblShapeParts* compound)
{
    view->bounds = rbl_aabb_empty();
    view->mass = add_masses(compound);
    view->thinnest = INFINITY;
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblShapePart* child = &compound->parts[i];
        const rblShapeView* part = &child->shape->view;
        const double reach = rbl_distance3d(child_center(child), view->mass.center) + (double)part->radius;
        view->bounds = rbl_aabb_union(view->bounds, child->box);
        view->radius = rbl_maxf((float)(reach * (1.0 + 1e-6)), view->radius);
        view->inner_radius = rbl_maxf(part->inner_radius, view->inner_radius);
        view->thinnest = rbl_minf(part->thinnest, view->thinnest);
    }
}

static bool is_hidden(const rblShapeParts* compound, uint32_t owner, rblVec3 point, float depth)
{
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblShapePart* child = &compound->parts[i];
        if (i != owner && rbl_aabb_contains_point(child->box, point) &&
            rbl_shape_distance(child->shape, rbl_transform_inverse_point(child->pose, point), NULL) < -depth)
        {
            return true;
        }
    }
    return false;
}

static rblResult gather_samples(const rblShapeParts* compound, float radius, rblSurfacePoints* out)
{
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const rblShapePart* child = &compound->parts[i];
        const rblVec3* points;
        uint32_t count;
        RBL_TRY(rbl_shape_samples(&child->shape->view, &points, &count));
        for (uint32_t k = 0; k < count; ++k)
        {
            const rblVec3 p = rbl_transform_point(child->pose, points[k]);
            if (!is_hidden(compound, i, p, HIDDEN * radius) && !rbl_array_push(out, p))
            {
                return rbl_fail_memory();
            }
        }
    }
    return RBL_OK;
}

// The surfaces of all children as one mesh; null if no child has a surface.
static rblResult join_surfaces(const rblShapeParts* compound, const rblAllocator* allocator, rblMeshId* out)
{
    rblMeshId* parts = RBL_NEW_ARRAY(allocator, rblMeshId, compound->count);
    rblResult result = parts != NULL ? RBL_OK : rbl_fail_memory();
    uint32_t made = 0;
    for (uint32_t i = 0; result == RBL_OK && i < compound->count; ++i)
    {
        const rblShapePart* child = &compound->parts[i];
        rblMeshId surface = {0, 0};
        result = rbl_shape_surface(&child->shape->view, &surface);
        if (result == RBL_OK && surface.index1 != 0)
        {
            const rblMat3d rotation = rbl_quatd_to_mat3d(rbl_to_double_quat(child->pose.q));
            result = rbl_mesh_transform(surface, &rotation, rbl_to_double3(child->pose.p), &parts[made]);
            made += result == RBL_OK;
        }
    }
    if (result == RBL_OK && made > 0)
    {
        result = rbl_mesh_join(parts, made, out);
    }
    for (uint32_t i = 0; i < made; ++i)
    {
        rbl_mesh_destroy(parts[i]);
    }
    RBL_FREE_ARRAY(allocator, parts, compound->count);
    return result;
}

rblResult rbl_shape_create_compound(const rblShapeChild* children, uint32_t count, rblShapeId* out)
{
    RBL_TRY(check_children(children, count, out));
    rblShape parts = {.kind = &rbl_compound_kind, .allocator = rbl_default_allocator()};
    rblShapeParts* compound = NULL;
    RBL_TRY(retain_children(children, count, parts.allocator, &compound));
    fill_view(&parts.view, compound);
    parts.data = compound;
    rblSurfacePoints samples;
    rbl_array_init(&samples, parts.allocator);
    rblResult result = gather_samples(compound, parts.view.radius, &samples);
    if (result == RBL_OK)
    {
        result = join_surfaces(compound, parts.allocator, &parts.view.surface);
    }
    if (result == RBL_OK)
    {
        result =
            rbl_shape_register(&parts, compound_bytes(count), samples.data, (uint32_t)samples.count, out);
    }
    else
    {
        compound_free(compound, parts.allocator);
    }
    rbl_array_free(&samples);
    return result;
}
