// Surfaces for drawing, including those that are created at their first use.
#include "base/error.h"
#include "base/thread.h"
#include "field/shape.h"

// One lock for all shapes: usually only one thread draws, so that threads rarely wait.
static rblMutex build_mutex = RBL_MUTEX_INIT;

void rbl_lazy_surface_free(const rblLazySurface* surface)
{
    if (surface->free != NULL)
    {
        surface->free(surface->context);
    }
    if (surface->made.index1 != 0)
    {
        rbl_mesh_destroy(surface->made);
    }
    rbl_shape_release(surface->of);
}

void rbl_shape_adopt_surface(rblShape* parts, const rblLazySurface* surface)
{
    parts->lazy = *surface;
    parts->lazy.made = (rblMeshId){0, 0};
    parts->view.surface = surface->made;
}

static rblResult build(rblShape* shape, rblMeshId* out)
{
    rblResult result = RBL_OK;
    rbl_mutex_lock(&build_mutex);
    if (shape->built.index1 == 0)
    {
        rblMeshId mesh = {0, 0};
        result = shape->lazy.build != NULL ? shape->lazy.build(shape->lazy.context, &mesh)
                                           : shape->kind->surface(shape, &mesh);
        if (result == RBL_OK)
        {
            shape->built = mesh;
        }
    }
    if (result == RBL_OK)
    {
        *out = shape->built;
    }
    rbl_mutex_unlock(&build_mutex);
    return result;
}

static rblMeshId publish(rblShape* shape, rblMeshId made)
{
    rbl_mutex_lock(&build_mutex);
    if (shape->built.index1 == 0)
    {
        shape->built = made;
    }
    const rblMeshId first = shape->built;
    rbl_mutex_unlock(&build_mutex);
    return first;
}

// Without the lock, because it is not recursive and the surfaces of the parts take it. Of several threads that build at
// the same time the first keeps its surface.
static rblResult build_of_parts(rblShape* shape, rblMeshId* out)
{
    *out = publish(shape, (rblMeshId){0, 0});
    if (out->index1 != 0)
    {
        return RBL_OK;
    }
    rblMeshId made = {0, 0};
    RBL_TRY(shape->kind->surface(shape, &made));
    *out = publish(shape, made);
    if (made.index1 != 0 && (made.index1 != out->index1 || made.generation != out->generation))
    {
        rbl_mesh_destroy(made);
    }
    return RBL_OK;
}

rblResult rbl_shape_surface(const rblShapeView* view, rblMeshId* out)
{
    if (view == NULL || view->shape == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "shape surface: view and out must not be null");
    }
    rblShape* shape = (view->shape->lazy.of != NULL ? view->shape->lazy.of : view->shape)->self;
    if (shape->lazy.build == NULL && shape->kind->surface == NULL)
    {
        *out = shape->view.surface;
        return RBL_OK;
    }
    return rbl_shape_parts(shape) != NULL ? build_of_parts(shape, out) : build(shape, out);
}
