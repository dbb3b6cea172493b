// Fracture events on tetrahedra and their fragments as bytes (EVNT and RCPE in docs/recording.md). Distances and parts of
// tetrahedra are not stored: they are computed again from labels and weights, with bit-identical results.
#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "scene/record/call_codec.h"
#include "scene/record/recording_format.h"

static rblResult damaged(void)
{
    return rbl_fail(RBL_ERROR_FORMAT, "a fragment of tetrahedra is cut short or invalid");
}

// ---- events ----

void rbl_put_event(rblByteSink* sink, const rblFragmentEvent* event, const rblEventLocation* location)
{
    rbl_put_varint(sink, location->parent == RBL_NONE ? 0 : location->parent + 1);
    if (location->parent == RBL_NONE)
    {
        rbl_put_varint(sink, location->shape);
        rbl_put_varint(sink, location->breaker);
        rbl_put_floats(sink, &location->material.density, RBL_RECORDED_MATERIAL);
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

static rblResult take_origin(rblByteSource* source, const rblRecipeTables* tables, rblEventOrigin* out)
{
    rblShapeView view;
    const uint32_t shape = rbl_take_u32_varint(source);
    const uint32_t breaker = rbl_take_u32_varint(source);
    rbl_take_floats(source, &out->material.density, RBL_RECORDED_MATERIAL);
    if (source->failed || shape >= tables->made.shape_count || breaker >= tables->breaker_count)
    {
        return damaged();
    }
    RBL_TRY(rbl_shape_view(tables->made.shapes[shape], &view));
    out->shape = view.shape;
    out->breaker = tables->breakers[breaker];
    return RBL_OK;
}

static rblResult take_nodes(rblByteSource* source, rblEventRestoreDef* def, uint32_t* labels, float* weights,
                            rblFragmentEvent** out)
{
    for (uint32_t i = 0; i < def->count; ++i)
    {
        labels[i] = rbl_take_u32_varint(source);
        weights[i] = rbl_take_f32(source);
    }
    def->labels = labels;
    def->weights = weights;
    return source->failed ? damaged() : rbl_event_restore(def, out);
}

rblResult rbl_take_event(rblByteSource* source, const rblRecipeTables* tables, rblFragmentEvent** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblEventOrigin origin = {0};
    rblEventRestoreDef def = {.origin = &origin};
    const uint64_t parent = rbl_take_varint(source);
    if (parent == 0)
    {
        RBL_TRY(take_origin(source, tables, &origin));
    }
    else
    {
        RBL_TRY(parent <= tables->made.event_count ? RBL_OK : damaged());
        def.parent = tables->made.events[parent - 1];
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
