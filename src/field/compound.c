// Compounds. The field of a compound is the smallest distance of all children.
#include "base/error.h"
#include "field/part_tree.h"
#include "field/samples/samples.h"
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

// The nearest part so far. Of equally near parts the first in the order of the parts is taken.
typedef struct Nearest
{
    const rblShapeParts* compound;
    rblVec3 point;
    float distance;
    uint32_t part;
    rblVec3 gradient; // in the axes of the part
} Nearest;

static void measure_part(uint32_t part, void* context)
{
    Nearest* nearest = context;
    const rblShapePart* child = &nearest->compound->parts[part];
    rblVec3 gradient;
    const rblVec3 local = rbl_transform_inverse_point(child->pose, nearest->point);
    const float distance = child->shape->kind->distance(child->shape->data, local, &gradient);
    if (distance < nearest->distance || (distance == nearest->distance && part < nearest->part))
    {
        nearest->distance = distance;
        nearest->part = part;
        nearest->gradient = gradient;
    }
}

// Exact outside. Inside it is the largest depth in one child, which is at most the depth in the union.
static float compound_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblShapeParts* compound = data;
    Nearest nearest = {.compound = compound, .point = point, .distance = INFINITY, .part = UINT32_MAX};
    rbl_part_tree_visit_near(compound->tree, point, &nearest.distance, measure_part, &nearest);
    *gradient = nearest.part != UINT32_MAX
                    ? rbl_rotate3(compound->parts[nearest.part].pose.q, nearest.gradient)
                    : rbl_vec3(0.0f, 1.0f, 0.0f);
    return nearest.distance;
}

typedef struct FirstHit
{
    const rblShapeParts* compound;
    const rblRay* ray;
    float t; // the largest that counts
    uint32_t part;
    rblVec3 normal; // in the axes of the part
} FirstHit;

static void hit_part(uint32_t part, void* context)
{
    FirstHit* first = context;
    const rblShapePart* child = &first->compound->parts[part];
    const rblRay local = {rbl_transform_inverse_point(child->pose, first->ray->origin),
                          rbl_inverse_rotate3(child->pose.q, first->ray->direction), first->ray->t_min,
                          first->t};
    const rblShapeHit hit = rbl_shape_ray(child->shape, &local);
    if (hit.t < first->t || (hit.t < INFINITY && hit.t == first->t && part < first->part))
    {
        first->t = hit.t;
        first->part = part;
        first->normal = hit.normal;
    }
}

static bool compound_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblShapeParts* compound = data;
    FirstHit first = {.compound = compound, .ray = ray, .t = ray->t_max, .part = UINT32_MAX};
    rbl_part_tree_visit_ray(compound->tree, ray, &first.t, hit_part, &first);
    if (first.part == UINT32_MAX)
    {
        return false;
    }
    *hit = (rblShapeHit){first.t, rbl_rotate3(compound->parts[first.part].pose.q, first.normal)};
    return true;
}

static void compound_free(void* data, const rblAllocator* allocator)
{
    rblShapeParts* compound = data;
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        rbl_shape_release(compound->parts[i].shape);
    }
    if (compound->tree != NULL)
    {
        rbl_part_tree_free(compound->tree);
        rbl_free(allocator, compound->tree, sizeof *compound->tree);
    }
    rbl_free(allocator, compound, compound_bytes(compound->count));
}

static const rblShapeParts* compound_parts(const void* data)
{
    return data;
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

// A BVH rounds boxes of larger coordinates to infinity.
static bool is_within_reach(rblAabb box)
{
    const float most = 1e37f;
    return fabsf(box.lower.x) < most && fabsf(box.lower.y) < most && fabsf(box.lower.z) < most &&
           fabsf(box.upper.x) < most && fabsf(box.upper.y) < most && fabsf(box.upper.z) < most;
}

static rblResult build_tree(rblShapeParts* compound, const rblAllocator* allocator)
{
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        if (!is_within_reach(compound->parts[i].box))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "compound: child %u at (%g, %g, %g) must be within 1e37 m of the origin", i,
                            (double)compound->parts[i].pose.p.x, (double)compound->parts[i].pose.p.y,
                            (double)compound->parts[i].pose.p.z);
        }
    }
    compound->tree = rbl_alloc_zero(allocator, sizeof *compound->tree);
    return compound->tree != NULL
               ? rbl_part_tree_build(compound->tree, compound->parts, compound->count, allocator)
               : rbl_fail_memory();
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

typedef struct Hiding
{
    const rblShapeParts* compound;
    uint32_t owner;
    rblVec3 point;
    float depth;
} Hiding;

static bool is_outside(uint32_t part, void* context)
{
    const Hiding* hiding = context;
    const rblShapePart* child = &hiding->compound->parts[part];
    const rblVec3 local = rbl_transform_inverse_point(child->pose, hiding->point);
    return part == hiding->owner || !(rbl_shape_distance(child->shape, local, NULL) < -hiding->depth);
}

static bool is_hidden(const rblShapeParts* compound, uint32_t owner, rblVec3 point, float depth)
{
    Hiding hiding = {compound, owner, point, depth};
    const rblAabb box = {point, point};
    return rbl_part_tree_visit_box(compound->tree, box, is_outside, &hiding);
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

static rblResult sample(const rblShape* shape, rblSampleTree** out)
{
    rblSurfacePoints points;
    rbl_array_init(&points, shape->allocator);
    rblResult result = gather_samples(shape->data, shape->view.radius, &points);
    if (result == RBL_OK)
    {
        result = rbl_sample_tree_create(points.data, (uint32_t)points.count, shape->allocator, out);
    }
    rbl_array_free(&points);
    return result;
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

static rblResult surface(const rblShape* shape, rblMeshId* out)
{
    return join_surfaces(shape->data, shape->allocator, out);
}

const rblShapeKind rbl_compound_kind = {.name = "compound",
                                        .code = 8,
                                        .distance = compound_distance,
                                        .ray = compound_ray,
                                        .sample = sample,
                                        .surface = surface,
                                        .parts = compound_parts,
                                        .visit = visit,
                                        .put = put,
                                        .take = take,
                                        .free = compound_free};

static size_t tree_bytes(const rblPartTree* tree)
{
    const rblForest* forest = &tree->forest;
    return sizeof *tree + forest->tree_capacity * sizeof *forest->trees +
           forest->node_capacity * sizeof *forest->nodes +
           forest->leaf_capacity * (sizeof *forest->order + sizeof *forest->triangles);
}

rblResult rbl_shape_create_compound(const rblShapeChild* children, uint32_t count, rblShapeId* out)
{
    RBL_TRY(check_children(children, count, out));
    rblShape parts = {.kind = &rbl_compound_kind, .allocator = rbl_default_allocator()};
    rblShapeParts* compound = NULL;
    RBL_TRY(retain_children(children, count, parts.allocator, &compound));
    const rblResult result = build_tree(compound, parts.allocator);
    if (result != RBL_OK)
    {
        compound_free(compound, parts.allocator);
        return result;
    }
    fill_view(&parts.view, compound);
    parts.data = compound;
    return rbl_shape_register(&parts, compound_bytes(count) + tree_bytes(compound->tree), NULL, 0, out);
}
