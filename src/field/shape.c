// Shapes and their ids.
#include "field/shape.h"

#include "base/error.h"
#include "base/registry.h"
#include "field/samples/samples.h"

static rblRegistry registry = RBL_REGISTRY_INIT;

static void free_parts(const rblShape* parts)
{
    parts->kind->free(parts->data, parts->allocator);
    if (parts->view.surface.index1 != 0)
    {
        rbl_mesh_destroy(parts->view.surface);
    }
    if (parts->built.index1 != 0)
    {
        rbl_mesh_destroy(parts->built);
    }
    rbl_lazy_surface_free(&parts->lazy);
}

static void free_shape(rblShape* shape)
{
    const rblAllocator* allocator = shape->allocator;
    free_parts(shape);
    rbl_sample_tree_free(atomic_load(&shape->samples), allocator);
    rbl_free(allocator, shape, sizeof *shape);
}

static size_t sample_bytes(const rblSampleTree* tree)
{
    return tree == NULL ? 0 : tree->bytes;
}

static rblShape* copy_parts(const rblShape* parts, rblSampleTree* tree, size_t data_bytes)
{
    rblShape* shape = rbl_alloc_zero(parts->allocator, sizeof *shape);
    if (shape == NULL)
    {
        return NULL;
    }
    shape->view = parts->view;
    shape->kind = parts->kind;
    shape->data = parts->data;
    shape->core = parts->core;
    shape->core.shape = shape;
    shape->allocator = parts->allocator;
    shape->lazy = parts->lazy;
    shape->quick = parts->quick;
    atomic_init(&shape->samples, tree);
    shape->self = shape;
    atomic_init(&shape->references, 1);
    shape->view.shape = shape;
    shape->view.kind = shape->kind->name;
    shape->view.rolling = shape->kind->rolling;
    shape->view.bounded = !shape->kind->unbounded;
    shape->view.convex = shape->core.form != RBL_CORE_NONE;
    shape->view.samples = tree == NULL ? NULL : tree->points;
    shape->view.sample_count = tree == NULL ? 0 : tree->count;
    shape->view.bytes = sizeof *shape + data_bytes + sample_bytes(tree);
    return shape;
}

rblResult rbl_shape_add_id(rblShape* shape, rblShapeId* out)
{
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, shape, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        rbl_shape_release(shape);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

rblResult rbl_shape_register_tree(const rblShape* parts, size_t data_bytes, rblSampleTree* tree,
                                  rblShapeId* out)
{
    rblShape* shape = copy_parts(parts, tree, data_bytes);
    if (shape == NULL)
    {
        rbl_sample_tree_free(tree, parts->allocator);
        free_parts(parts);
        return rbl_fail_memory();
    }
    return rbl_shape_add_id(shape, out);
}

rblResult rbl_shape_register(const rblShape* parts, size_t data_bytes, const rblVec3* samples,
                             uint32_t sample_count, rblShapeId* out)
{
    rblSampleTree* tree = NULL;
    rblResult result = RBL_OK;
    if (sample_count > 0)
    {
        result = parts->quick ? rbl_sample_tree_create_quick(samples, sample_count, parts->allocator, &tree)
                              : rbl_sample_tree_create(samples, sample_count, parts->allocator, &tree);
    }
    if (result != RBL_OK)
    {
        free_parts(parts);
        return result;
    }
    return rbl_shape_register_tree(parts, data_bytes, tree, out);
}

static rblResult fail_stale(rblShapeId id)
{
    return rbl_fail(RBL_ERROR_STALE, "shape: id %u/%u is null or of a destroyed shape", id.index1,
                    id.generation);
}

// The shape with `extra` more references; null: the id is stale.
static rblShape* find_shape(rblShapeId id, unsigned extra)
{
    rbl_mutex_lock(&registry.mutex);
    rblShape* shape = rbl_registry_find(&registry, id.index1, id.generation);
    if (shape != NULL)
    {
        atomic_fetch_add(&shape->references, extra);
    }
    rbl_mutex_unlock(&registry.mutex);
    return shape;
}

static rblResult read_view(rblShapeId id, unsigned extra, rblShapeView* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "shape: out must not be null");
    }
    const rblShape* shape = find_shape(id, extra);
    if (shape == NULL)
    {
        return fail_stale(id);
    }
    *out = shape->view;
    return RBL_OK;
}

rblResult rbl_shape_view(rblShapeId id, rblShapeView* out)
{
    return read_view(id, 0, out);
}

rblResult rbl_shape_acquire(rblShapeId id, rblShapeView* out)
{
    return read_view(id, 1, out);
}

void rbl_shape_retain(const rblShape* shape)
{
    if (shape != NULL)
    {
        atomic_fetch_add(&shape->self->references, 1);
    }
}

bool rbl_shape_retain_living(rblShape* shape)
{
    unsigned references = atomic_load(&shape->references);
    while (references > 0)
    {
        if (atomic_compare_exchange_weak(&shape->references, &references, references + 1))
        {
            return true;
        }
    }
    return false;
}

void rbl_shape_release(const rblShape* shape)
{
    if (shape != NULL && atomic_fetch_sub(&shape->self->references, 1) == 1)
    {
        free_shape(shape->self);
    }
}

rblResult rbl_shape_destroy(rblShapeId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblShape* shape = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (shape == NULL)
    {
        return fail_stale(id);
    }
    rbl_shape_release(shape);
    return RBL_OK;
}

uint32_t rbl_shape_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}
