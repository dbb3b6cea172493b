#include "field/fragment/fragment_shape.h"

#include "base/error.h"
#include "field/field.h"
#include "field/fragment/fragment_grid.h"
#include "field/shape_check.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "math/vec.h"

// ---- tuning ----
#define STEP_FACTOR 0.8f  // relative to the field value, which is not exact: step of a ray
#define MIN_STEP    0.05f // relative to the mean edge: smallest step of a ray
#define MAX_STEPS   1024u // of a ray
#define HALVINGS    12u   // bisection steps at the surface

static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    return rbl_fragment_distance(data, point, gradient);
}

// Sphere tracing, where only a point inside is a hit: near edges the discs that approximate cracks extend slightly
// beyond them. Then bisection of the last step.
static bool ray_hit(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblFragmentField* field = data;
    const float speed = rbl_length3(ray->direction);
    const float least = MIN_STEP * field->event->background->edge;
    float outside = ray->t_min, t = ray->t_min;
    for (uint32_t i = 0; i < MAX_STEPS && t <= ray->t_max; ++i)
    {
        const rblVec3 p = rbl_mul_add3(ray->origin, t, ray->direction);
        const float signed_distance = rbl_fragment_distance(field, p, &hit->normal);
        if (signed_distance <= 0.0f)
        {
            break;
        }
        outside = t;
        t += rbl_maxf(STEP_FACTOR * signed_distance, least) / speed;
    }
    float inside = t;
    if (!(t <= ray->t_max) ||
        rbl_fragment_distance(field, rbl_mul_add3(ray->origin, t, ray->direction), &hit->normal) > 0.0f)
    {
        return false;
    }
    for (uint32_t i = 0; i < HALVINGS; ++i)
    {
        const float middle = 0.5f * (outside + inside);
        const bool in = rbl_fragment_inside(field, rbl_mul_add3(ray->origin, middle, ray->direction));
        outside = in ? outside : middle;
        inside = in ? middle : inside;
    }
    (void)rbl_fragment_distance(field, rbl_mul_add3(ray->origin, inside, ray->direction), &hit->normal);
    hit->t = inside;
    return true;
}

static void free_fragment(void* data, const rblAllocator* allocator)
{
    rblFragmentField* field = data;
    RBL_FREE_ARRAY(allocator, field->discs, field->disc_blocks);
    rbl_level_set_free(atomic_load_explicit(&field->grid, memory_order_acquire));
    rbl_fragment_event_release(field->event);
    rbl_free(allocator, field, sizeof *field);
}

static const rblLevelSet* grid_of(const rblShape* shape)
{
    rblFragmentField* field = shape->data;
    const rblFragmentField* original = shape->lazy.of != NULL ? shape->lazy.of->data : NULL;
    if (original != NULL && original->event == field->event && original->label == field->label)
    {
        return grid_of(shape->lazy.of); // this shape differs only in its samples
    }
    rblLevelSet* grid = atomic_load_explicit(&field->grid, memory_order_acquire);
    if (grid != NULL)
    {
        return grid;
    }
    // Two threads may create it at the same time: both results are equal, and the first one is kept.
    rblLevelSet* created = rbl_fragment_grid_build(field, shape->allocator);
    if (created != NULL && !atomic_compare_exchange_strong(&field->grid, &grid, created))
    {
        rbl_level_set_free(created);
        return grid;
    }
    return created;
}

static float depth(const rblShape* shape, rblVec3 point, rblVec3* gradient)
{
    return rbl_fragment_depth(shape->data, point, gradient);
}

static void describe_field(const rblShape* shape, rblField* field)
{
    const rblLevelSet* grid = grid_of(shape);
    if (grid == NULL)
    {
        field->out_of_memory = true;
        return;
    }
    field->grid = grid;
    field->depth = depth;
    field->error = rbl_fragment_grid_error(grid);
    field->interpolated = true;
    field->slack = rbl_level_set_slack(grid);
    field->grain = 0.75f * grid->cell * grid->cell;
}

static const rblFragmentField* fragment(const void* data)
{
    return data;
}

static rblResult check(const rblShape* shape)
{
    const rblFragmentField* field = shape->data;
    RBL_SHAPE_CHECK(field->label < field->event->label_count, "a fragment is none of its event",
                    field->label);
    return rbl_fragment_event_check(field->event);
}

static rblResult visit(const rblShape* shape, const rblSourceVisitor* visitor)
{
    return visitor->event(fragment(shape->data)->event, visitor->context);
}

const rblShapeKind rbl_fragment_kind = {.name = "fragment",
                                        .code = 11,
                                        .joinable = true,
                                        .dense_samples = true,
                                        .distance = distance,
                                        .describe_field = describe_field,
                                        .ray = ray_hit,
                                        .rebuild = rbl_fragment_rebuild,
                                        .fragment = fragment,
                                        .check = check,
                                        .visit = visit,
                                        .put = rbl_put_fragment,
                                        .take = rbl_take_fragment,
                                        .free = free_fragment};

// ---- creation ----

static rblResult check_def(const rblFragmentShapeDef* def, const rblShapeId* out)
{
    const rblMassProperties* mass = def->mass;
    if (out == NULL || def->event == NULL || def->label >= def->event->label_count || def->samples == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "fragment: out and samples must not be null, and the label must exist");
    }
    if (!(mass->volume > 0.0) || !rbl_finite(mass->volume) || !rbl_finite3d(mass->center) ||
        !(mass->moments.x > 0.0) || !rbl_finite3d(mass->moments))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "fragment: volume and principal moments must be positive and finite");
    }
    return RBL_OK;
}

static float ball_radius(rblAabb box, rblVec3d center)
{
    const rblVec3d low = rbl_sub3d(center, rbl_to_double3(box.lower));
    const rblVec3d high = rbl_sub3d(rbl_to_double3(box.upper), center);
    return (float)(rbl_length3d(rbl_max3d(low, high)) * (1.0 + 1e-7));
}

static void fill_view(rblShapeView* view, const rblFragmentShapeDef* def, rblAabb bounds)
{
    const rblVec3 size = rbl_aabb_size(bounds);
    const float smallest = rbl_minf(size.x, rbl_minf(size.y, size.z));
    const float deepest = rbl_maxf(def->event->facts[def->label].deepest, 0.0f);
    view->bounds = bounds;
    view->mass = *def->mass;
    view->radius = ball_radius(bounds, def->mass->center);
    view->inner_radius = def->inner_radius > 0.0f ? def->inner_radius : rbl_minf(deepest, 0.5f * smallest);
    view->thinnest = view->inner_radius > 0.0f ? 2.0f * view->inner_radius : smallest;
}

// A small number of crack pieces is stored with the shape.
static rblResult make_field(const rblFragmentShapeDef* def, rblAabb bounds, const rblAllocator* allocator,
                            rblFragmentField** out)
{
    rblFragmentField* field = rbl_alloc_zero(allocator, sizeof *field);
    if (field == NULL)
    {
        return rbl_fail_memory();
    }
    field->event = def->event;
    field->label = def->label;
    field->bounds = bounds;
    field->disc_blocks = rbl_disc_blocks_of(def->event, def->label);
    if (field->disc_blocks > 0)
    {
        field->discs = RBL_NEW_ARRAY(allocator, rblDiscBlock, field->disc_blocks);
        if (field->discs == NULL)
        {
            rbl_free(allocator, field, sizeof *field);
            return rbl_fail_memory();
        }
        rbl_disc_blocks_fill(def->event, def->label, field->discs);
    }
    rbl_fragment_event_retain(def->event);
    *out = field;
    return RBL_OK;
}

rblResult rbl_shape_create_fragment(const rblFragmentShapeDef* def, rblShapeId* out)
{
    rblShape parts = {.kind = &rbl_fragment_kind, .allocator = rbl_default_allocator()};
    rblAabb bounds = {{0, 0, 0}, {0, 0, 0}};
    rblFragmentField* field = NULL;
    rblResult result = check_def(def, out);
    if (result == RBL_OK)
    {
        bounds = def->bounds != NULL ? *def->bounds : def->event->facts[def->label].bounds;
        result = make_field(def, bounds, parts.allocator, &field);
    }
    if (result != RBL_OK)
    {
        rbl_sample_tree_free(def->samples, parts.allocator);
        rbl_lazy_surface_free(&def->surface);
        return result;
    }
    fill_view(&parts.view, def, bounds);
    parts.data = field;
    rbl_shape_adopt_surface(&parts, &def->surface);
    return rbl_shape_register_tree(&parts, sizeof *field, def->samples, out);
}
