// Sample points, including those that are created at their first use.
#include "base/error.h"
#include "base/thread.h"
#include "field/samples/samples.h"
#include "field/shape.h"

// One lock for all shapes: each shape needs it once, so that threads rarely wait.
static rblMutex build_mutex = RBL_MUTEX_INIT;

// The samples of the parts are built first, because the lock is not recursive: under the lock they exist already.
static rblResult build_parts(const rblShape* shape)
{
    const rblShapeParts* parts = rbl_shape_parts(shape);
    for (uint32_t i = 0; parts != NULL && i < parts->count; ++i)
    {
        const rblSampleTree* unused;
        RBL_TRY(rbl_shape_tree(parts->parts[i].shape, &unused));
    }
    return RBL_OK;
}

static rblResult build(rblShape* shape, rblSampleTree** tree)
{
    RBL_TRY(build_parts(shape));
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

rblResult rbl_shape_make_tree(const rblShape* shape,
                              bool (*add_points)(const rblShape* shape, rblPointArray* out),
                              rblSampleTree** out)
{
    rblPointArray points;
    rbl_array_init(&points, shape->allocator);
    rblResult result = RBL_OK;
    if (!add_points(shape, &points))
    {
        result = rbl_fail_memory();
    }
    else
    {
        const uint32_t count = (uint32_t)points.count;
        result = shape->quick ? rbl_sample_tree_create_quick(points.data, count, shape->allocator, out)
                              : rbl_sample_tree_create(points.data, count, shape->allocator, out);
    }
    rbl_array_free(&points);
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
