// Shapes for the tests of fields, and short ways to let them meet. Include after testing.h.
#ifndef RBL_TESTS_FIELD_SHAPES_H
#define RBL_TESTS_FIELD_SHAPES_H

#include "base/random.h"
#include "math/transform.h"
#include "math/trig.h"
#include "rubble/shape.h"

static inline rblShapeView view_of(rblShapeId id)
{
    rblShapeView view;
    check_ok(rbl_shape_view(id, &view));
    return view;
}

static inline rblShapeId make_level_set(const char* kind, uint32_t cells)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_make(kind, NULL, 0, &def.mesh));
    def.max_cells = cells;
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(def.mesh)); // the shape has its own hold on it
    return id;
}

static inline rblShapeId make_ground(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_plane(rbl_vec3(0, 1, 0), &id));
    return id;
}

// ---- a torus by functions ----

typedef struct Torus
{
    float ring, tube; // about the y axis
    int* destroyed;
} Torus;

static inline float torus_distance(const void* context, rblVec3 p, rblVec3* gradient)
{
    const Torus* torus = context;
    const float across = sqrtf(p.x * p.x + p.z * p.z);
    const rblVec3 out = across > 0.0f ? rbl_vec3(p.x / across, 0, p.z / across) : rbl_vec3(1, 0, 0);
    const rblVec3 from = rbl_sub3(p, rbl_scale3(out, torus->ring));
    *gradient = rbl_normalize3(from, rbl_vec3(0, 1, 0));
    return rbl_length3(from) - torus->tube;
}

static inline void torus_destroy(void* context)
{
    *((Torus*)context)->destroyed += 1;
}

#define TORUS_AROUND 48
#define TORUS_TUBE   16

static inline void torus_samples(const Torus* torus, rblVec3* out)
{
    for (int i = 0; i < TORUS_AROUND * TORUS_TUBE; ++i)
    {
        const double u = 2.0 * RBL_PI * (i / TORUS_TUBE) / TORUS_AROUND;
        const double v = 2.0 * RBL_PI * (i % TORUS_TUBE) / TORUS_TUBE;
        const float across = torus->ring + torus->tube * (float)rbl_cos(v);
        out[i] =
            rbl_vec3(across * (float)rbl_cos(u), torus->tube * (float)rbl_sin(v), across * (float)rbl_sin(u));
    }
}

static inline rblUserShape torus_def(Torus* torus, rblVec3* samples)
{
    rblUserShape def = rbl_default_user_shape();
    const double r = (double)torus->ring;
    const double t = (double)torus->tube;
    const float reach = torus->ring + torus->tube;
    const double volume = 2.0 * RBL_PI * RBL_PI * r * t * t;
    const double across = volume * (0.5 * r * r + 0.625 * t * t);
    const double along = volume * (r * r + 0.75 * t * t);
    torus_samples(torus, samples);
    def.name = "torus";
    def.distance = torus_distance;
    def.destroy = torus_destroy;
    def.context = torus;
    def.bounds = (rblAabb){{-reach, -torus->tube, -reach}, {reach, torus->tube, reach}};
    def.samples = samples;
    def.sample_count = TORUS_AROUND * TORUS_TUBE;
    def.mass = (rblMassProperties){.volume = volume,
                                   .mass = volume,
                                   .inertia = {{across, 0, 0}, {0, along, 0}, {0, 0, across}},
                                   .moments = {across, across, along},
                                   .principal_axes = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    return def;
}

static inline rblShapeId make_torus(Torus* torus)
{
    rblVec3 samples[TORUS_AROUND * TORUS_TUBE];
    const rblUserShape def = torus_def(torus, samples);
    rblShapeId id;
    check_ok(rbl_shape_create_user(&def, &id));
    return id;
}

static inline rblContactSet collide(rblShapeId a, rblShapeId b, rblTransform pose, rblCollideOptions options)
{
    rblContactSet set = {0};
    const rblShapeView view_a = view_of(a);
    const rblShapeView view_b = view_of(b);
    check_ok(rbl_shape_collide(&view_a, &view_b, pose, &options, NULL, &set));
    return set;
}

static inline rblCollideOptions options_of(float margin, float tolerance, uint32_t count)
{
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = margin;
    options.tolerance = tolerance;
    options.first_count = count;
    return options;
}

// A dumb-bell: two balls on a bar.
static inline rblShapeId make_dumbbell(void)
{
    rblShapeId ball;
    rblShapeId bar;
    rblShapeId id;
    check_ok(rbl_shape_create_sphere(0.2f, &ball));
    check_ok(rbl_shape_create_box(rbl_vec3(1.0f, 0.1f, 0.1f), &bar));
    const rblShapeChild children[3] = {{ball, {{-0.5f, 0, 0}, {0, 0, 0, 1}}},
                                       {ball, {{0.5f, 0, 0}, {0, 0, 0, 1}}},
                                       {bar, {{0, 0, 0}, {0, 0, 0, 1}}}};
    check_ok(rbl_shape_create_compound(children, 3, &id));
    check_ok(rbl_shape_destroy(ball)); // the compound keeps them
    check_ok(rbl_shape_destroy(bar));
    return id;
}

static inline rblTransform random_pose(rblRandom* random, float reach)
{
    const rblQuat q = {rbl_random_float(random) - 0.5f, rbl_random_float(random) - 0.5f,
                       rbl_random_float(random) - 0.5f, rbl_random_float(random) - 0.5f};
    return (rblTransform){{reach * (2 * rbl_random_float(random) - 1),
                           reach * (2 * rbl_random_float(random) - 1),
                           reach * (2 * rbl_random_float(random) - 1)},
                          rbl_quat_normalize(q)};
}

#endif
