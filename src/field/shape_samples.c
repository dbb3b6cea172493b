// Sample points, including those that are created at their first use.
#include "base/error.h"
#include "base/thread.h"
#include "field/samples/samples.h"
#include "field/shape.h"

// One lock for all shapes: each shape needs it once, so that threads rarely wait.
static rblMutex build_mutex = RBL_MUTEX_INIT;

static rblResult build(rblShape* shape, rblSampleTree** tree)
{
    rblResult result = RBL_OK;
    rbl_mutex_lock(&build_mutex);
    *tree = atomic_load_explicit(&shape->samples, memory_order_acquire);
    if (*tree == NULL)
    {
        result = shape->kind->sample(shape, tree);
        if (result == RBL_OK)
        {
            atomic_store_explicit(&shape->samples, *tree, memory_order_release);
        }
    }
    rbl_mutex_unlock(&build_mutex);
    return result;
}

rblResult rbl_shape_tree(const rblShape* shape, const rblSampleTree** out)
{
    rblSampleTree* tree = atomic_load_explicit(&shape->self->samples, memory_order_acquire);
    if (tree == NULL && shape->kind->sample != NULL)
    {
        RBL_TRY(build(shape->self, &tree));
    }
    *out = tree;
    return RBL_OK;
}

rblResult rbl_shape_samples(const rblShapeView* view, const rblVec3** points, uint32_t* count)
{
    if (view == NULL || view->shape == NULL || points == NULL || count == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "shape samples: view, points and count must not be null");
    }
    const rblSampleTree* tree;
    RBL_TRY(rbl_shape_tree(view->shape, &tree));
    *points = tree == NULL ? NULL : tree->points;
    *count = tree == NULL ? 0 : tree->count;
    return RBL_OK;
}
