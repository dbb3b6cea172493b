#include "field/shape_check.h"

#include "field/engine.h"
#include "math/vec.h"

static rblResult check_view(const rblShape* shape)
{
    const rblShapeView* view = &shape->view;
    const rblAabb box = view->bounds;
    RBL_SHAPE_CHECK(view->shape == shape && shape->self == shape && atomic_load(&shape->references) > 0,
                    "a shape is not referenced", 0);
    RBL_SHAPE_CHECK(!view->bounded ||
                        (rbl_finite3(box.lower) && rbl_finite3(box.upper) && box.lower.x <= box.upper.x &&
                         box.lower.y <= box.upper.y && box.lower.z <= box.upper.z),
                    "the box of a shape is bad", 0);
    RBL_SHAPE_CHECK(!view->bounded || (view->mass.mass > 0.0 && rbl_finite(view->mass.mass)),
                    "the mass of a shape is not positive and finite", 0);
    return RBL_OK;
}

static rblResult check_samples(const rblShape* shape)
{
    const rblShapeView* view = &shape->view;
    const rblSampleTree* tree = atomic_load_explicit(&shape->self->samples, memory_order_acquire);
    RBL_SHAPE_CHECK(view->samples == NULL ||
                        (tree != NULL && view->samples == tree->points && view->sample_count == tree->count),
                    "the samples of a shape are not those of its hierarchy", view->sample_count);
    return tree != NULL ? rbl_sample_tree_check(tree) : RBL_OK;
}

static rblResult check_shape(const rblShape* shape)
{
    RBL_TRY(check_view(shape));
    RBL_TRY(check_samples(shape));
    RBL_TRY(shape->kind->check != NULL ? shape->kind->check(shape) : RBL_OK);
    const rblShapeParts* parts = rbl_shape_parts(shape);
    for (uint32_t i = 0; parts != NULL && i < parts->count; ++i)
    {
        RBL_TRY(check_shape(parts->parts[i].shape));
    }
    return RBL_OK;
}

rblResult rbl_shape_check(const rblShapeView* shape)
{
    const rblResult result = check_shape(shape->shape);
    return result != RBL_OK ? rbl_fail_within(result, shape->kind) : RBL_OK;
}
