// Serialisation of fragments of tetrahedra. Events are stored separately; fragments refer to them by index.
#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "math/vec.h"

#define MAX_LEVELS 60u // of a tree of samples; searches allow 64

static rblResult damaged(void)
{
    return rbl_fail(RBL_ERROR_FORMAT, "a fragment of tetrahedra is incomplete or has invalid numbers");
}

// ---- samples ----

// Points in their order, and for each the distance to its parent in this order. The points alone do not define the
// hierarchy.
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
        const bool valid = !source->failed && (i == 0 ? parents[i] == 0 : parents[i] < i);
        levels[i] = valid && i > 0 ? (uint8_t)(levels[parents[i]] + 1) : 0;
        if (!valid || levels[i] > MAX_LEVELS)
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

rblResult rbl_put_fragment(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    const rblFragmentField* field = shape->data;
    const rblSampleTree* tree = NULL;
    RBL_TRY(rbl_shape_tree(shape, &tree));
    rbl_put_varint(sink, numbers->event(field->event, numbers->context));
    rbl_put_varint(sink, field->label);
    rbl_put_doubles(sink, &shape->view.mass.volume, sizeof shape->view.mass / sizeof(double));
    rbl_put_floats(sink, &field->bounds.lower.x, 6);
    rbl_put_f32(sink, shape->view.inner_radius);
    RBL_TRY(put_tree(sink, tree));
    return rbl_put_drawn_surface(sink, shape);
}

static bool is_box(rblAabb box)
{
    return rbl_finite3(box.lower) && rbl_finite3(box.upper) && box.lower.x <= box.upper.x &&
           box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
}

rblResult rbl_take_fragment(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
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
    const rblResult result = rbl_take_drawn_surface(source, &def.surface.made);
    if (result != RBL_OK || source->failed)
    {
        rbl_sample_tree_free(def.samples, rbl_default_allocator());
        rbl_lazy_surface_free(&def.surface);
        return result != RBL_OK ? result : damaged();
    }
    return rbl_shape_create_fragment(&def, out);
}
