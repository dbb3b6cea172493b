// Events of stress breakers and the fragments that they left, as bytes (EVNT and RCPE in docs/recording.md). Distances and parts of
// tetrahedra are not there: the event makes them again from labels and weights, the same to the last bit.
#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "scene/record/call_codec.h"
#include "scene/record/recording_format.h"

#define MOST_LEVELS 60u // of a tree of samples: searches have room for 64

static rblResult damaged(void)
{
    return rbl_fail(RBL_ERROR_FORMAT, "a fragment of tetrahedra is cut short or not possible");
}

// ---- events ----

void rbl_put_event(rblByteSink* sink, const rblFragmentEvent* event, const rblEventPlace* place)
{
    rbl_put_varint(sink, place->parent == RBL_NONE ? 0 : place->parent + 1);
    if (place->parent == RBL_NONE)
    {
        rbl_put_varint(sink, place->shape);
        rbl_put_varint(sink, place->breaker);
        rbl_put_floats(sink, &place->material.density, sizeof place->material / sizeof(float));
    }
    else
    {
        rbl_put_varint(sink, event->parent_label);
    }
    rbl_put_varint(sink, event->label_count);
    rbl_put_varint(sink, event->node_count);
    for (uint32_t i = 0; i < event->node_count; ++i)
    {
        rbl_put_varint(sink, event->labels[i]);
        rbl_put_f32(sink, event->weights[i]);
    }
}

static rblResult take_origin(rblByteSource* source, const rblRecipeTables* tables, rblStressOrigin* out)
{
    rblShapeView view;
    const uint32_t shape = rbl_take_u32_varint(source);
    const uint32_t breaker = rbl_take_u32_varint(source);
    rbl_take_floats(source, &out->material.density, sizeof out->material / sizeof(float));
    if (source->failed || shape >= tables->shape_count || breaker >= tables->breaker_count)
    {
        return damaged();
    }
    RBL_TRY(rbl_shape_view(tables->shapes[shape], &view));
    out->shape = view.shape;
    out->breaker = tables->breakers[breaker];
    return RBL_OK;
}

static rblResult take_nodes(rblByteSource* source, rblStressEventDef* def, uint32_t* labels, float* weights,
                            rblFragmentEvent** out)
{
    for (uint32_t i = 0; i < def->count; ++i)
    {
        labels[i] = rbl_take_u32_varint(source);
        weights[i] = rbl_take_f32(source);
    }
    def->labels = labels;
    def->weights = weights;
    return source->failed ? damaged() : rbl_stress_event_restore(def, out);
}

rblResult rbl_take_event(rblByteSource* source, const rblRecipeTables* tables, rblFragmentEvent** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblStressOrigin origin;
    rblStressEventDef def = {.origin = &origin};
    const uint64_t parent = rbl_take_varint(source);
    if (parent == 0)
    {
        RBL_TRY(take_origin(source, tables, &origin));
    }
    else
    {
        RBL_TRY(parent <= tables->event_count ? RBL_OK : damaged());
        def.parent = tables->events[parent - 1];
        def.parent_label = rbl_take_u32_varint(source);
    }
    def.label_count = rbl_take_u32_varint(source);
    def.count = rbl_take_count(source, 1 + sizeof(float));
    uint32_t* labels = RBL_NEW_ARRAY(allocator, uint32_t, (size_t)def.count + 1);
    float* weights = RBL_NEW_ARRAY(allocator, float, (size_t)def.count + 1);
    const rblResult result = labels != NULL && weights != NULL
                                 ? take_nodes(source, &def, labels, weights, out)
                                 : rbl_fail_memory();
    RBL_FREE_ARRAY(allocator, labels, (size_t)def.count + 1);
    RBL_FREE_ARRAY(allocator, weights, (size_t)def.count + 1);
    return result;
}

// ---- samples ----

// Points in their order, and how far before each its parent is: the hierarchy is not that of the points alone.
static rblResult put_tree(rblByteSink* sink, const rblSampleTree* tree)
{
    const rblAllocator* allocator = rbl_default_allocator();
    uint32_t* parents = RBL_NEW_ARRAY(allocator, uint32_t, tree->count);
    if (parents == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_sample_tree_parents(tree, parents);
    rbl_put_varint(sink, tree->count);
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        rbl_put_floats(sink, &tree->points[i].x, 3);
        rbl_put_varint(sink, parents[i]);
    }
    RBL_FREE_ARRAY(allocator, parents, tree->count);
    return RBL_OK;
}

static rblResult take_points(rblByteSource* source, uint32_t count, rblVec3* points, uint32_t* parents,
                             uint8_t* levels, rblSampleTree** out)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_take_floats(source, &points[i].x, 3);
        parents[i] = rbl_take_u32_varint(source);
        const bool good = !source->failed && (i == 0 ? parents[i] == 0 : parents[i] < i);
        levels[i] = good && i > 0 ? (uint8_t)(levels[parents[i]] + 1) : 0;
        if (!good || levels[i] > MOST_LEVELS)
        {
            return damaged();
        }
    }
    return rbl_sample_tree_create_ordered(points, parents, count, rbl_default_allocator(), out);
}

static rblResult take_tree(rblByteSource* source, rblSampleTree** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_take_count(source, sizeof(rblVec3) + 1);
    if (count == 0)
    {
        return damaged();
    }
    rblVec3* points = RBL_NEW_ARRAY(allocator, rblVec3, count);
    uint32_t* parents = RBL_NEW_ARRAY(allocator, uint32_t, count);
    uint8_t* levels = RBL_NEW_ARRAY(allocator, uint8_t, count);
    const rblResult result = points != NULL && parents != NULL && levels != NULL
                                 ? take_points(source, count, points, parents, levels, out)
                                 : rbl_fail_memory();
    RBL_FREE_ARRAY(allocator, points, count);
    RBL_FREE_ARRAY(allocator, parents, count);
    RBL_FREE_ARRAY(allocator, levels, count);
    return result;
}

// ---- shapes ----

rblResult rbl_put_fragment(rblByteSink* sink, const rblShape* shape, uint32_t event)
{
    const rblFragmentField* field = rbl_shape_fragment(shape);
    const rblSampleTree* tree = NULL;
    rblMeshId surface = {0, 0};
    rblMeshView view;
    RBL_TRY(rbl_shape_surface(&shape->view, &surface));
    RBL_TRY(rbl_shape_tree(shape, &tree));
    rbl_put_varint(sink, event);
    rbl_put_varint(sink, field->label);
    rbl_put_doubles(sink, &shape->view.mass.volume, sizeof shape->view.mass / sizeof(double));
    rbl_put_floats(sink, &field->bounds.lower.x, 6);
    rbl_put_f32(sink, shape->view.inner_radius);
    RBL_TRY(put_tree(sink, tree));
    rbl_put_u8(sink, surface.index1 != 0);
    if (surface.index1 != 0)
    {
        RBL_TRY(rbl_mesh_view(surface, &view));
        rbl_put_mesh(sink, &view);
    }
    return RBL_OK;
}

static bool is_box(rblAabb box)
{
    return rbl_finite3(box.lower) && rbl_finite3(box.upper) && box.lower.x <= box.upper.x &&
           box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
}

rblResult rbl_take_fragment(rblByteSource* source, const rblRecipeTables* tables, rblShapeId* out)
{
    rblMassProperties mass;
    rblAabb bounds;
    const uint32_t event = rbl_take_u32_varint(source);
    rblFragmentShapeDef def = {.label = rbl_take_u32_varint(source), .mass = &mass, .bounds = &bounds};
    rbl_take_doubles(source, &mass.volume, sizeof mass / sizeof(double));
    rbl_take_floats(source, &bounds.lower.x, 6);
    def.inner_radius = rbl_take_f32(source);
    if (source->failed || event >= tables->event_count || !is_box(bounds) ||
        !rbl_finite((double)def.inner_radius))
    {
        return damaged();
    }
    def.event = tables->events[event];
    RBL_TRY(take_tree(source, &def.samples));
    rblResult result = RBL_OK;
    if (rbl_take_u8(source) != 0)
    {
        result = rbl_take_mesh(source, rbl_default_allocator(), &def.surface.made);
    }
    if (result != RBL_OK || source->failed)
    {
        rbl_sample_tree_free(def.samples, rbl_default_allocator());
        rbl_lazy_surface_free(&def.surface);
        return result != RBL_OK ? result : damaged();
    }
    return rbl_shape_create_fragment(&def, out);
}
