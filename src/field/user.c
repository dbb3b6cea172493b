// Shapes with functions of the caller.
#include "base/def.h"
#include "base/error.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "mesh/mesh.h"
#include <string.h>

// ---- tuning ----
#define PROBES 12 // points per side of the lattice that is searched for the largest inner ball

typedef struct UserShape
{
    float (*distance)(const void* context, rblVec3 point, rblVec3* gradient);
    void (*destroy)(void* context);
    void* context;
    size_t bytes; // of this struct and the name
    char name[];
} UserShape;

RBL_DEF_KIND(user_shape_def, rblUserShape, "user shape", rbl_default_user_shape, 0x05E25A9Eu);

void rbl_user_shape_init(rblUserShape* def, size_t size)
{
    const rblUserShape defaults = {0};
    rbl_def_init(&user_shape_def, &defaults, def, size);
}

static float user_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const UserShape* user = data;
    return user->distance(user->context, point, gradient);
}

static void user_free(void* data, const rblAllocator* allocator)
{
    UserShape* user = data;
    if (user->destroy != NULL)
    {
        user->destroy(user->context);
    }
    rbl_free(allocator, user, user->bytes);
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)sink;
    (void)numbers;
    return rbl_fail(RBL_ERROR_UNSUPPORTED, "recording: the user-defined shape '%.100s' cannot be recorded",
                    ((const UserShape*)shape->data)->name);
}

const rblShapeKind rbl_user_kind = {.name = "user",
                                    .code = 9,
                                    .joinable = true,
                                    .fine_samples = true,
                                    .distance = user_distance,
                                    .put = put,
                                    .free = user_free};

static rblResult check_mass(const rblMassProperties* mass)
{
    const bool good = mass->volume > 0.0 && rbl_finite(mass->volume) && mass->mass > 0.0 &&
                      rbl_finite(mass->mass) && rbl_finite3d(mass->center) && mass->moments.x > 0.0 &&
                      mass->moments.y > 0.0 && mass->moments.z > 0.0 && rbl_finite3d(mass->moments);
    return good ? RBL_OK
                : rbl_fail(RBL_ERROR_ARGUMENT,
                           "user shape: volume is %g, mass %g, principal moments (%g, %g, %g); they must be "
                           "positive and finite",
                           mass->volume, mass->mass, RBL_XYZ(mass->moments));
}

static rblResult check_def(const rblUserShape* def)
{
    if (def->name == NULL || def->distance == NULL || def->samples == NULL || def->sample_count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "user shape: name, distance and samples must not be null");
    }
    const rblVec3 size = rbl_aabb_size(def->bounds);
    if (!(size.x > 0.0f && size.y > 0.0f && size.z > 0.0f) || !rbl_finite3(size))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "user shape %s: bounds must be finite and not empty", def->name);
    }
    for (uint32_t i = 0; i < def->sample_count; ++i)
    {
        rblVec3 gradient = {0.0f, 0.0f, 0.0f};
        if (!rbl_finite3(def->samples[i]) ||
            !rbl_finite((double)def->distance(def->context, def->samples[i], &gradient)))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "user shape %s: sample %u and its distance must be finite",
                            def->name, i);
        }
    }
    return check_mass(&def->mass);
}

// Radius of an inner ball: the largest depth of some points.
static float deepest_probe(const rblUserShape* def)
{
    const rblVec3 size = rbl_aabb_size(def->bounds);
    float deepest = 0.0f;
    for (int i = 0; i < PROBES * PROBES * PROBES; ++i)
    {
        const rblVec3 share = {((float)(i % PROBES) + 0.5f) / (float)PROBES,
                               ((float)(i / PROBES % PROBES) + 0.5f) / (float)PROBES,
                               ((float)(i / PROBES / PROBES) + 0.5f) / (float)PROBES};
        const rblVec3 p = {def->bounds.lower.x + share.x * size.x, def->bounds.lower.y + share.y * size.y,
                           def->bounds.lower.z + share.z * size.z};
        rblVec3 gradient;
        deepest = rbl_maxf(-def->distance(def->context, p, &gradient), deepest);
    }
    return deepest;
}

static float ball_radius(rblAabb box, rblVec3d center)
{
    const rblVec3d low = rbl_sub3d(center, rbl_to_double3(box.lower));
    const rblVec3d high = rbl_sub3d(rbl_to_double3(box.upper), center);
    return (float)(rbl_length3d(rbl_max3d(low, high)) * (1.0 + 1e-7));
}

static void fill_view(rblShapeView* view, const rblUserShape* def)
{
    const rblVec3 size = rbl_aabb_size(def->bounds);
    const float smallest = rbl_minf(size.x, rbl_minf(size.y, size.z));
    view->bounds = def->bounds;
    view->mass = def->mass;
    view->radius = ball_radius(def->bounds, def->mass.center);
    view->inner_radius = deepest_probe(def);
    view->thinnest = view->inner_radius > 0.0f ? rbl_minf(smallest, 2.0f * view->inner_radius) : smallest;
}

static rblResult create(const rblUserShape* def, rblShapeId* out)
{
    rblShape parts = {.kind = &rbl_user_kind, .allocator = rbl_default_allocator()};
    fill_view(&parts.view, def);
    const size_t name_bytes = strlen(def->name) + 1;
    UserShape* user = rbl_alloc(parts.allocator, sizeof *user + name_bytes);
    if (user == NULL)
    {
        return rbl_fail_memory();
    }
    // Until the shape exists, the caller owns the context.
    *user = (UserShape){def->distance, NULL, def->context, sizeof *user + name_bytes};
    memcpy(user->name, def->name, name_bytes);
    if (def->surface.index1 != 0)
    {
        const rblResult result = rbl_mesh_share(def->surface, &parts.view.surface);
        if (result != RBL_OK)
        {
            user_free(user, parts.allocator);
            return result;
        }
    }
    parts.data = user;
    RBL_TRY(rbl_shape_register(&parts, user->bytes, def->samples, def->sample_count, out));
    user->destroy = def->destroy;
    return RBL_OK;
}

rblResult rbl_shape_create_user(const rblUserShape* given, rblShapeId* out)
{
    rblUserShape def = rbl_default_user_shape();
    RBL_TRY(rbl_def_read(&user_shape_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "user shape: out must not be null");
    }
    RBL_TRY(check_def(&def));
    return create(&def, out);
}
