// Fragments computed without incremental updates: a reference to measure the cost and the errors of the updates.
#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "math/vec.h"

// ---- distances ----

static float distance_to(const rblCrackPiece* piece, rblVec3 p)
{
    const rblVec3 offset = rbl_sub3(piece->center, p);
    const float height = rbl_dot3(offset, piece->normal);
    const float aside = sqrtf(rbl_maxf(rbl_dot3(offset, offset) - height * height, 0.0f));
    const float beyond = rbl_maxf(aside - piece->radius, 0.0f);
    return sqrtf(height * height + beyond * beyond);
}

void rbl_fragment_event_measure(rblFragmentEvent* event)
{
    for (uint32_t local = 0; local < event->node_count; ++local)
    {
        const rblVec3 at = event->background->nodes[event->nodes[local]].position;
        rblCrackPiece* nearest = &event->cracks[local];
        for (uint32_t i = 0; i < event->border_count; ++i)
        {
            const rblBorder* border = &event->borders[i];
            const float distance = border->label == event->labels[local]
                                       ? distance_to(&event->pieces[border->piece], at)
                                       : INFINITY;
            if (distance < nearest->distance)
            {
                *nearest = event->pieces[border->piece];
                nearest->distance = distance;
            }
        }
    }
}

static rblResult measure_anew(const rblFragmentEvent* event, rblFragmentEvent** out)
{
    const size_t nodes = event->background->node_count;
    uint32_t* labels = RBL_NEW_ARRAY(event->allocator, uint32_t, nodes);
    double* weights = RBL_NEW_ARRAY(event->allocator, double, nodes);
    rblResult result = labels != NULL && weights != NULL ? RBL_OK : rbl_fail_memory();
    for (uint32_t i = 0; result == RBL_OK && i < event->node_count; ++i)
    {
        labels[event->nodes[i]] = event->labels[i];
        weights[event->nodes[i]] = (double)event->weights[i];
    }
    if (result == RBL_OK)
    {
        result = rbl_fragment_event_create(&(rblFragmentEventDef){.background = event->background,
                                                                  .parent = event->parent,
                                                                  .parent_label = event->parent_label,
                                                                  .labels = labels,
                                                                  .weights = weights,
                                                                  .label_count = event->label_count,
                                                                  .exact = true},
                                           out);
    }
    RBL_FREE_ARRAY(event->allocator, labels, nodes);
    RBL_FREE_ARRAY(event->allocator, weights, nodes);
    return result;
}

// ---- samples ----

// A copy with the same parents.
static rblResult copy_tree(const rblSampleTree* tree, const rblAllocator* allocator, rblSampleTree** out)
{
    uint32_t* parents = RBL_NEW_ARRAY(allocator, uint32_t, tree->count);
    if (parents == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_sample_tree_parents(tree, parents);
    const rblResult result =
        rbl_sample_tree_create_ordered(tree->points, parents, tree->count, allocator, out);
    RBL_FREE_ARRAY(allocator, parents, tree->count);
    return result;
}

// ---- shapes ----

// The fragment of a break from which a reference was created; it owns the surface. Other shapes are their own original.
static const rblShape* original_of(const rblShape* shape)
{
    return shape->lazy.of != NULL ? shape->lazy.of : shape;
}

rblResult rbl_shape_create_fragment_reference(const rblShape* fragment, bool exact, bool rebuilt,
                                              rblShapeId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const rblFragmentField* field = rbl_shape_fragment(fragment);
    const rblSampleTree* tree = NULL;
    rblFragmentEvent* event = NULL;
    if (field == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "fragment: out must not be null, and the shape must be a fragment");
    }
    RBL_TRY(rbl_shape_tree(fragment, &tree));
    RBL_TRY(exact ? measure_anew(field->event, &event) : RBL_OK);
    rblFragmentShapeDef def = {.event = exact ? event : field->event,
                               .label = field->label,
                               .mass = &fragment->view.mass,
                               .bounds = &field->bounds,
                               .inner_radius = fragment->view.inner_radius};
    rblResult result = rebuilt ? rbl_sample_tree_create(tree->points, tree->count, allocator, &def.samples)
                               : copy_tree(tree, allocator, &def.samples);
    if (result == RBL_OK)
    {
        def.surface.of = original_of(fragment);
        rbl_shape_retain(def.surface.of);
    }
    result = result == RBL_OK ? rbl_shape_create_fragment(&def, out) : result;
    rbl_fragment_event_release(event);
    return result;
}

rblResult rbl_fragment_rebuild(const rblShape* fragment, rblShapeId* out)
{
    return rbl_shape_create_fragment_reference(fragment, false, true, out);
}
