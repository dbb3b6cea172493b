// Level sets, compounds and user shapes as shapes, and contacts by samples and fields against full enumeration.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "field/compound.h"
#include "field/field_contact.h"
#include "field/field_pair_cache.h"
#include "field/level_set.h"
#include "field/shape.h"
#include "math/transform.h"
#include "math/trig.h"
#include "rubble/shape.h"
#include <string.h>

static rblShapeView view_of(rblShapeId id)
{
    rblShapeView view;
    check_ok(rbl_shape_view(id, &view));
    return view;
}

static rblShapeId make_level_set(const char* kind, uint32_t cells)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_make(kind, NULL, 0, &def.mesh));
    def.max_cells = cells;
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(def.mesh)); // the shape has its own hold on it
    return id;
}

static rblShapeId make_ground(void)
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

static float torus_distance(const void* context, rblVec3 p, rblVec3* gradient)
{
    const Torus* torus = context;
    const float across = sqrtf(p.x * p.x + p.z * p.z);
    const rblVec3 out = across > 0.0f ? rbl_vec3(p.x / across, 0, p.z / across) : rbl_vec3(1, 0, 0);
    const rblVec3 from = rbl_sub3(p, rbl_scale3(out, torus->ring));
    *gradient = rbl_normalize3(from, rbl_vec3(0, 1, 0));
    return rbl_length3(from) - torus->tube;
}

static void torus_destroy(void* context)
{
    *((Torus*)context)->destroyed += 1;
}

#define TORUS_AROUND 48
#define TORUS_TUBE   16

static void torus_samples(const Torus* torus, rblVec3* out)
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

static rblUserShape torus_def(Torus* torus, rblVec3* samples)
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

static rblShapeId make_torus(Torus* torus)
{
    rblVec3 samples[TORUS_AROUND * TORUS_TUBE];
    const rblUserShape def = torus_def(torus, samples);
    rblShapeId id;
    check_ok(rbl_shape_create_user(&def, &id));
    return id;
}

static rblContactSet collide(rblShapeId a, rblShapeId b, rblTransform pose, rblCollideOptions options)
{
    rblContactSet set = {0};
    const rblShapeView view_a = view_of(a);
    const rblShapeView view_b = view_of(b);
    check_ok(rbl_shape_collide(&view_a, &view_b, pose, &options, NULL, &set));
    return set;
}

static rblCollideOptions options_of(float margin, float tolerance, uint32_t count)
{
    return (rblCollideOptions){.margin = margin, .tolerance = tolerance, .first_count = count};
}

static void a_user_torus_rests_on_a_plane(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    const rblShapeId id = make_torus(&torus);
    const rblShapeId ground = make_ground();
    const rblShapeView view = view_of(id);
    assert_int_equal(view.kind, RBL_SHAPE_USER);
    assert_int_equal(view.sample_count, TORUS_AROUND * TORUS_TUBE);
    check_close(view.inner_radius, 0.1, 0.03);
    assert_true(view.radius >= 0.4f);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(0.3f, 0.25f, 0), NULL), 0.15, 1e-6);
    // Sunk by a millimetre: the 48 lowest samples are inside, eight of them do.
    const rblTransform pose = {{0, 0.099f, 0}, {0, 0, 0, 1}};
    rblContactSet set = collide(ground, id, pose, options_of(0.0f, 0.002f, 8));
    assert_int_equal(set.count, 8);
    rblVec3 lever = {0, 0, 0};
    for (uint32_t i = 0; i < set.count; ++i)
    {
        check_close(set.points[i].distance, -0.001, 1e-6);
        check_close(set.points[i].normal.y, 1.0, 1e-6);
        check_close(set.points[i].point.y, -0.0005, 1e-6);
        assert_int_equal(set.points[i].feature & 1, 1);
        lever = rbl_add3(lever, set.points[i].point);
    }
    // All round: their middle is near the axis.
    assert_true(rbl_length3(lever) / 8.0f < 0.1f);
    rbl_contact_set_free(&set);
    // Deeper than eps: every one of them.
    const rblTransform deep = {{0, 0.095f, 0}, {0, 0, 0, 1}};
    set = collide(ground, id, deep, options_of(0.0f, 0.002f, 8));
    uint32_t inside = 0;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        inside += set.points[i].distance < -0.002f;
    }
    assert_int_equal(inside, TORUS_AROUND);
    assert_int_equal(set.colliding, TORUS_AROUND);
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(id));
    assert_int_equal(destroyed, 1);
    check_ok(rbl_shape_destroy(ground));
}

static void bad_user_shapes_are_refused(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    rblVec3 samples[TORUS_AROUND * TORUS_TUBE];
    const rblUserShape good = torus_def(&torus, samples);
    rblShapeId id = {0, 0};
    rblUserShape def = good;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&good, NULL));
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.distance = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.sample_count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.bounds.upper.x = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.mass.mass = 0.0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.mass.moments.x = (double)NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.surface = (rblMeshId){77, 1};
    check_fails(RBL_ERROR_STALE, rbl_shape_create_user(&def, &id));
    samples[3].y = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&good, &id));
    assert_int_equal(destroyed, 0); // the context stayed the caller's
    assert_int_equal(id.index1, 0);
}

// ---- compounds ----

// A dumb-bell: two balls on a bar.
static rblShapeId make_dumbbell(void)
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

static void compounds_are_the_sum_of_their_children(void** state)
{
    (void)state;
    const rblShapeId id = make_dumbbell();
    const rblShapeView view = view_of(id);
    const double ball = 4.0 / 3.0 * RBL_PI * 0.008;
    check_close(view.mass.volume, 2.0 * ball + 0.01, 1e-6);
    check_close(rbl_length3d(view.mass.center), 0.0, 1e-9);
    check_close(view.mass.inertia.cx.x, 2.0 * 0.4 * ball * 0.04 + 0.01 / 12.0 * 0.02, 1e-6);
    check_close(view.mass.inertia.cy.y, 2.0 * ball * (0.4 * 0.04 + 0.25) + 0.01 / 12.0 * 1.01, 1e-6);
    check_close(view.bounds.upper.x, 0.7, 1e-5);
    assert_true(view.radius >= 0.7f && view.radius < 0.71f);
    assert_true(view.surface.index1 != 0);
    rblVec3 g;
    check_close(rbl_shape_distance(view.shape, rbl_vec3(0, 0.15f, 0), &g), 0.1, 1e-6);
    check_close(g.y, 1.0, 1e-6);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(1.0f, 0, 0), &g), 0.3, 1e-6);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(-0.5f, -0.1f, 0), &g), -0.1, 1e-6);
    for (uint32_t i = 0; i < view.sample_count; ++i)
    {
        check_close(rbl_shape_distance(view.shape, view.samples[i], &g), 0.0, 1e-4);
    }
    check_ok(rbl_shape_destroy(id));
}

static void compounds_touch_with_their_children(void** state)
{
    (void)state;
    const rblShapeId id = make_dumbbell();
    const rblShapeId ground = make_ground();
    // On its two balls, sunk by a millimetre and turned by a quarter about y.
    const rblTransform pose = {{3, 0.199f, 4},
                               rbl_quat_from_axis_angle(rbl_vec3(0, 1, 0), (float)RBL_PI / 2)};
    rblContactSet set = collide(ground, id, pose, options_of(0.0f, 0.01f, 8));
    assert_true(set.count >= 2);
    int sides = 0;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        check_close(set.points[i].normal.y, 1.0, 1e-5);
        check_close(fabsf(set.points[i].point.z - 4.0f), 0.5, 0.12);
        sides |= set.points[i].point.z > 4.0f ? 1 : 2;
        for (uint32_t k = 0; k < i; ++k)
        {
            assert_true(set.points[i].feature != set.points[k].feature);
        }
    }
    assert_int_equal(sides, 3);
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_shape_destroy(ground));
}

static void bad_compounds_are_refused(void** state)
{
    (void)state;
    rblShapeId ball;
    rblShapeId id = {0, 0};
    const rblShapeId ground = make_ground();
    const rblShapeId dumbbell = make_dumbbell();
    check_ok(rbl_shape_create_sphere(1.0f, &ball));
    const rblTransform here = rbl_transform_identity();
    rblShapeChild child = {ball, here};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(NULL, 1, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 0, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, NULL));
    child.shape = ground;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    child.shape = dumbbell;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    child.shape = (rblShapeId){0, 0};
    check_fails(RBL_ERROR_STALE, rbl_shape_create_compound(&child, 1, &id));
    child = (rblShapeChild){ball, {{NAN, 0, 0}, {0, 0, 0, 1}}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    child = (rblShapeChild){ball, {{0, 0, 0}, {0, 0, 0, 0}}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(dumbbell));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// ---- level sets ----

static void level_sets_reach_the_wanted_error(void** state)
{
    (void)state;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_make("torus", NULL, 0, &def.mesh));
    float errors[2] = {0.002f, 0.0005f};
    size_t bytes[2];
    for (int i = 0; i < 2; ++i)
    {
        def.error = errors[i];
        check_ok(rbl_shape_create_level_set(&def, &id));
        const rblShapeView view = view_of(id);
        const rblLevelSet* set = rbl_shape_level_set(view.shape);
        assert_true(set->error <= errors[i]);
        bytes[i] = view.bytes;
        check_ok(rbl_shape_destroy(id));
    }
    assert_true(bytes[0] < bytes[1]);
    def.error = 1e-9f; // out of reach: as fine as allowed
    def.max_cells = 24;
    check_ok(rbl_shape_create_level_set(&def, &id));
    const rblLevelSet* set = rbl_shape_level_set(view_of(id).shape);
    rblMassProperties mass;
    check_ok(rbl_mesh_mass_properties(def.mesh, 1.0, &mass));
    const rblShapeView view = view_of(id);
    check_close(view.mass.volume, mass.volume, 1e-12);
    check_close((view.bounds.upper.x - view.bounds.lower.x) / set->cell, 24.0, 0.01);
    assert_true(!view.convex && view.bounded && view.surface.index1 != 0);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_mesh_destroy(def.mesh));
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void bad_level_sets_are_refused_by_name(void** state)
{
    (void)state;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id = {0, 0};
    check_fails(RBL_ERROR_STALE, rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_make("box", NULL, 0, &def.mesh));
    rblMeshView view;
    check_ok(rbl_mesh_view(def.mesh, &view));
    rblMeshView open = view;
    open.face_count -= 1;
    open.corner_count = view.face_starts[open.face_count];
    rblMeshId box = def.mesh;
    check_ok(rbl_mesh_create(&open, &def.mesh));
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_level_set(&def, &id));
    assert_non_null(strstr(rbl_last_error(), "open"));
    check_ok(rbl_mesh_destroy(def.mesh));
    def.mesh = box;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, NULL));
    def.error = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    def.error = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    def.error = 0.0f;
    def.max_cells = 3;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    def.max_cells = 64;
    def.cookie = 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(box));
    assert_int_equal(id.index1, 0);
}

// ---- selection against full enumeration ----

typedef struct Full
{
    uint32_t inside, deep;
    float smallest;
} Full;

static const rblContactPoint* find_feature(const rblContactSet* set, uint32_t feature)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        if (set->points[i].feature == feature)
        {
            return &set->points[i];
        }
    }
    return NULL;
}

static bool has_double(const rblContactSet* set, rblVec3 point, uint32_t side, float distance, float eps)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        const rblContactPoint* c = &set->points[i];
        if ((c->feature & 1) != side && c->distance <= distance + 1e-5f &&
            rbl_length3(rbl_sub3(c->point, point)) <= 1.01f * eps)
        {
            return true;
        }
    }
    return false;
}

// Every sample of one side: those deeper than eps are contacts, or have a deeper double.
static void enumerate(const rblShapeView* samples, const rblShapeView* field, rblTransform pose,
                      rblTransform to_a, uint32_t side, float eps, const rblContactSet* set, Full* full)
{
    const rblMat3 r = rbl_quat_to_mat3(pose.q);
    for (uint32_t i = 0; i < samples->sample_count; ++i)
    {
        const rblVec3 p = rbl_add3(rbl_mat3_apply(&r, samples->samples[i]), pose.p);
        rblVec3 g;
        const float d = rbl_shape_distance(field->shape, p, &g);
        const rblVec3 middle = rbl_transform_point(to_a, rbl_mul_add3(p, -0.5f * d, g));
        full->smallest = rbl_minf(full->smallest, d);
        full->inside += d < 0.0f;
        full->deep += d < -eps;
        if (d < -eps && find_feature(set, 2 * i + side) == NULL && !has_double(set, middle, side, d, eps))
        {
            fail_msg("sample %u of side %u, %.9g deep, was dropped", i, side, (double)-d);
        }
    }
}

static Full enumerate_both(rblShapeId a, rblShapeId b, rblTransform pose, float eps, const rblContactSet* set)
{
    const rblShapeView va = view_of(a);
    const rblShapeView vb = view_of(b);
    Full full = {0, 0, INFINITY};
    enumerate(&va, &vb, rbl_transform_inverse(pose), pose, 0, eps, set, &full);
    enumerate(&vb, &va, pose, rbl_transform_identity(), 1, eps, set, &full);
    return full;
}

static rblTransform random_pose(rblRandom* random, float reach)
{
    const rblQuat q = {rbl_random_float(random) - 0.5f, rbl_random_float(random) - 0.5f,
                       rbl_random_float(random) - 0.5f, rbl_random_float(random) - 0.5f};
    return (rblTransform){{reach * (2 * rbl_random_float(random) - 1),
                           reach * (2 * rbl_random_float(random) - 1),
                           reach * (2 * rbl_random_float(random) - 1)},
                          rbl_quat_normalize(q)};
}

static void check_selection(rblShapeId a, rblShapeId b, rblTransform pose, float margin, int* meetings)
{
    const float eps = 0.002f * rbl_minf(view_of(a).radius, view_of(b).radius);
    rblContactSet set = collide(a, b, pose, options_of(margin, 0.0f, 8));
    const Full full = enumerate_both(a, b, pose, eps, &set);
    float smallest = INFINITY;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        assert_true(set.points[i].distance <= rbl_maxf(margin, eps));
        check_close(rbl_length3(set.points[i].normal), 1.0, 1e-5);
        smallest = rbl_minf(smallest, set.points[i].distance);
    }
    assert_true(set.count <= full.deep + 9);
    assert_true(set.colliding <= full.inside);
    if (full.smallest <= rbl_maxf(margin, eps))
    {
        // The deepest, or the one with the smallest gap, is always there.
        check_close(smallest, full.smallest, 1e-6f + 1e-5f * fabsf(full.smallest));
        *meetings += 1;
    }
    else
    {
        assert_int_equal(set.count, 0);
    }
    const rblShapeView va = view_of(a);
    const rblShapeView vb = view_of(b);
    const float gap = rbl_field_gap(&va, &vb, pose);
    check_close(gap, full.smallest, 1e-6f + 1e-5f * fabsf(full.smallest));
    rbl_contact_set_free(&set);
}

static void no_sample_deeper_than_eps_is_dropped(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.15f, 0.06f, &destroyed};
    rblShapeId shapes[5] = {make_level_set("statue", 16), make_level_set("wineglass", 24),
                            make_torus(&torus)};
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.1f, 0.3f), &shapes[3]));
    shapes[4] = make_ground();
    rblRandom random = rbl_random_seed(21, 1);
    int meetings = 0;
    for (int i = 0; i < 240; ++i)
    {
        const rblShapeId a = shapes[i % 3];
        const rblShapeId b = shapes[i / 3 % 5];
        if (b.index1 == shapes[4].index1)
        {
            const rblTransform pose = random_pose(&random, 0.15f);
            check_selection(b, a, pose, i % 2 == 0 ? 0.0f : 0.02f, &meetings);
            continue;
        }
        check_selection(a, b, random_pose(&random, 0.2f), i % 2 == 0 ? 0.0f : 0.02f, &meetings);
    }
    assert_true(meetings > 100);
    for (int i = 0; i < 5; ++i)
    {
        check_ok(rbl_shape_destroy(shapes[i]));
    }
}

static void all_samples_can_be_had(void** state)
{
    (void)state;
    const rblShapeId statue = make_level_set("statue", 16);
    rblRandom random = rbl_random_seed(22, 1);
    for (int i = 0; i < 20; ++i)
    {
        const rblTransform pose = random_pose(&random, 0.1f);
        rblContactSet set = collide(statue, statue, pose, options_of(0.0f, 1e-6f, UINT32_MAX));
        const Full full = enumerate_both(statue, statue, pose, 1e-6f, &set);
        assert_int_equal(set.colliding, full.inside);
        rbl_contact_set_free(&set);
    }
    check_ok(rbl_shape_destroy(statue));
}

// Which of the two is first does not matter, up to names and rounding.
static void contacts_are_the_same_both_ways_round(void** state)
{
    (void)state;
    const rblShapeId a = make_level_set("statue", 16);
    const rblShapeId b = make_level_set("torus", 16);
    rblRandom random = rbl_random_seed(23, 1);
    int compared = 0;
    for (int i = 0; i < 40; ++i)
    {
        const rblTransform pose = random_pose(&random, 0.15f);
        const rblCollideOptions all = options_of(0.0f, 1e-6f, UINT32_MAX);
        rblContactSet one = collide(a, b, pose, all);
        rblContactSet other = collide(b, a, rbl_transform_inverse(pose), all);
        for (uint32_t k = 0; k < one.count; ++k)
        {
            const rblContactPoint* c = &one.points[k];
            const rblContactPoint* d = find_feature(&other, c->feature ^ 1);
            if (d == NULL)
            {
                assert_true(fabsf(c->distance) < 1e-4f); // on the border, by rounding
                continue;
            }
            check_close(c->distance, d->distance, 2e-5);
            check_close(rbl_length3(rbl_sub3(c->point, rbl_transform_point(pose, d->point))), 0.0, 1e-4);
            ++compared;
        }
        rbl_contact_set_free(&one);
        rbl_contact_set_free(&other);
    }
    assert_true(compared > 200);
    check_ok(rbl_shape_destroy(a));
    check_ok(rbl_shape_destroy(b));
}

static void contacts_repeat_bit_by_bit_and_reuse_memory(void** state)
{
    (void)state;
    const rblShapeId a = make_level_set("statue", 16);
    const rblShapeView view = view_of(a);
    rblRandom random = rbl_random_seed(24, 1);
    rblContactSet set = {0};
    rblTransform poses[16];
    rblCollideOptions options = options_of(0.01f, 0.0f, 8);
    for (int i = 0; i < 16; ++i)
    {
        poses[i] = random_pose(&random, 0.1f);
        check_ok(rbl_shape_collide(&view, &view, poses[i], &options, NULL, &set));
    }
    const size_t bytes = rbl_bytes_in_use();
    for (int i = 0; i < 16; ++i)
    {
        rblContactSet fresh = collide(a, a, poses[i], options);
        check_ok(rbl_shape_collide(&view, &view, poses[i], &options, NULL, &set));
        assert_int_equal(set.count, fresh.count);
        assert_memory_equal(set.points, fresh.points, set.count * sizeof *set.points);
        rbl_contact_set_free(&fresh);
    }
    assert_int_equal(rbl_bytes_in_use(), bytes);
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(a));
}

// A gap g is used up by a way of g and not before, whatever the rotation: half turns have the least w.
static void the_cache_keeps_poses(void** state)
{
    (void)state;
    rblShapeId box;
    check_ok(rbl_shape_create_box(rbl_vec3(1, 1, 1), &box));
    const rblShapeView view = view_of(box);
    rblRandom random = rbl_random_seed(27, 1);
    for (int i = 0; i < 1000; ++i)
    {
        rblTransform pose = random_pose(&random, 3.0f);
        if (i % 4 == 0)
        {
            pose.q = rbl_quat_normalize((rblQuat){pose.q.x, pose.q.y, pose.q.z, 1e-4f * pose.q.w});
        }
        rblPairCache cache = {{0}};
        assert_false(rbl_field_cache_apart(&cache, &view, &view, pose, 0.0f));
        rbl_field_cache_store(&cache, pose, 0.01f);
        assert_true(rbl_field_cache_apart(&cache, &view, &view, pose, 0.009f));
        assert_false(rbl_field_cache_apart(&cache, &view, &view, pose, 0.01f));
        const rblQuat turn = rbl_quat_from_axis_angle(random_pose(&random, 1.0f).p, 0.0101f / view.radius);
        const rblTransform turned = {pose.p, rbl_quat_normalize(rbl_quat_mul(pose.q, turn))};
        assert_false(rbl_field_cache_apart(&cache, &view, &view, turned, 0.0f));
        rblTransform moved = pose;
        moved.p.y += 0.008f;
        assert_true(rbl_field_cache_apart(&cache, &view, &view, moved, 0.001f));
        assert_false(rbl_field_cache_apart(&cache, &view, &view, moved, 0.0021f));
        rbl_field_cache_clear(&cache);
        assert_false(rbl_field_cache_apart(&cache, &view, &view, pose, 0.0f));
    }
    check_ok(rbl_shape_destroy(box));
}

// Two statues drift past each other with many small steps: with and without the cache, the same contacts.
static void the_cache_never_changes_a_result(void** state)
{
    (void)state;
    const rblShapeId a = make_level_set("statue", 24);
    const rblShapeId ground = make_ground();
    const rblShapeView view = view_of(a);
    const rblShapeView plane = view_of(ground);
    rblRandom random = rbl_random_seed(26, 1);
    const rblCollideOptions options = options_of(0.005f, 0.0f, 8);
    rblContactSet with = {0};
    rblContactSet without = {0};
    int touching = 0;
    int skipped = 0;
    for (int run = 0; run < 24; ++run)
    {
        const rblShapeView* other = run % 3 == 0 ? &plane : &view;
        rblPairCache cache = {{0}};
        rblTransform pose = random_pose(&random, 0.3f);
        const rblVec3 step = rbl_scale3(pose.p, -1.0f / 60.0f);
        const rblQuat turn =
            rbl_quat_from_axis_angle(random_pose(&random, 1.0f).p, 0.02f * rbl_random_float(&random));
        for (int i = 0; i < 80; ++i)
        {
            const rblPairCache before = cache;
            check_ok(rbl_shape_collide(other, &view, pose, &options, &cache, &with));
            check_ok(rbl_shape_collide(other, &view, pose, &options, NULL, &without));
            assert_int_equal(with.count, without.count);
            assert_int_equal(with.colliding, without.colliding);
            assert_true(with.count == 0 ||
                        memcmp(with.points, without.points, with.count * sizeof *with.points) == 0);
            touching += with.count > 0;
            skipped += i > 0 && with.count == 0 && memcmp(&before, &cache, sizeof cache) == 0;
            pose.p = rbl_add3(pose.p, step);
            pose.q = rbl_quat_normalize(rbl_quat_mul(turn, pose.q));
        }
    }
    assert_true(touching > 200 && skipped > 50);
    rbl_contact_set_free(&with);
    rbl_contact_set_free(&without);
    check_ok(rbl_shape_destroy(a));
    check_ok(rbl_shape_destroy(ground));
}

// Figure 5 of Glondu 2012, at rest: a plate on a plane.
static void a_plate_lies_on_few_contacts(void** state)
{
    (void)state;
    const rblShapeId plate = make_level_set("plate", 40);
    const rblShapeId ground = make_ground();
    const rblShapeView view = view_of(plate);
    const float eps = 0.002f * view.radius;
    const rblTransform pose = {{0, -view.bounds.lower.y - 0.5f * eps, 0}, {0, 0, 0, 1}};
    rblContactSet few = collide(ground, plate, pose, options_of(0.0f, 0.0f, 8));
    rblContactSet all = collide(ground, plate, pose, options_of(0.0f, 0.0f, UINT32_MAX));
    print_message("plate: %u samples, %u inside, %u contacts of %u\n", view.sample_count, all.colliding,
                  few.count, all.count);
    assert_int_equal(few.count, 8);
    assert_true(all.colliding > 30);
    rbl_contact_set_free(&few);
    rbl_contact_set_free(&all);
    check_ok(rbl_shape_destroy(plate));
    check_ok(rbl_shape_destroy(ground));
}

// ---- time of impact ----

static float smallest_sample(const rblShapeView* a, const rblShapeView* b, rblTransform pose)
{
    const rblContactSet none = {0};
    Full full = {0, 0, INFINITY};
    enumerate(a, b, rbl_transform_inverse(pose), pose, 0, INFINITY, &none, &full);
    enumerate(b, a, pose, rbl_transform_identity(), 1, INFINITY, &none, &full);
    return full.smallest;
}

// The pose of a shape at a fraction of its motion, turned about its centre of mass.
static rblTransform swept(const rblShapeView* view, const rblSweep* sweep, float t)
{
    const float angle = rbl_length3(sweep->rotation);
    const rblQuat turn = rbl_quat_from_axis_angle(sweep->rotation, t * angle);
    const rblVec3 center = rbl_to_float3(view->mass.center);
    const rblVec3 start = rbl_transform_point(sweep->from, center);
    const rblQuat q = rbl_quat_normalize(rbl_quat_mul(turn, sweep->from.q));
    return (rblTransform){rbl_sub3(rbl_mul_add3(start, t, sweep->translation), rbl_rotate3(q, center)), q};
}

static void time_of_impact_is_never_late(void** state)
{
    (void)state;
    const rblShapeId statue = make_level_set("statue", 16);
    const rblShapeId plate = make_level_set("plate", 40);
    const rblShapeView a = view_of(statue);
    const rblShapeView b = view_of(plate);
    rblRandom random = rbl_random_seed(25, 1);
    const rblSweep rest = {.from = rbl_transform_identity()};
    int hits = 0;
    for (int i = 0; i < 30; ++i)
    {
        rblSweep sweep = {.from = random_pose(&random, 0.0f)};
        const rblVec3 way = random_pose(&random, 1.0f).p;
        sweep.from.p = rbl_scale3(way, -1.0f);
        sweep.translation = rbl_scale3(way, 2.0f);
        sweep.rotation = random_pose(&random, 3.0f).p;
        const float t = rbl_shape_time_of_impact(&a, &rest, &b, &sweep, 0.002f, 0.001f);
        for (int k = 0; k <= 20; ++k)
        {
            const rblTransform pose = swept(&b, &sweep, t * (float)k / 20.0f);
            if (smallest_sample(&a, &b, pose) < 0.001f)
            {
                fail_msg("sweep %d: closer than the target at %d / 20 of %.9g", i, k, (double)t);
            }
        }
        hits += t < 1.0f;
    }
    assert_true(hits > 5);
    check_ok(rbl_shape_destroy(statue));
    check_ok(rbl_shape_destroy(plate));
}

static void a_bullet_does_not_pass_a_thin_plate(void** state)
{
    (void)state;
    rblShapeId bullet;
    const rblShapeId plate = make_level_set("plate", 40);
    check_ok(rbl_shape_create_sphere(0.002f, &bullet));
    const rblShapeView a = view_of(plate);
    const rblShapeView b = view_of(bullet);
    const rblSweep rest = {.from = rbl_transform_identity()};
    const rblSweep shot = {.from = {{0.03f, 10.0f, 0.01f}, {0, 0, 0, 1}}, .translation = {0, -20.0f, 0}};
    const float t = rbl_shape_time_of_impact(&a, &rest, &b, &shot, 0.001f, 0.0005f);
    const rblTransform pose = swept(&b, &shot, t);
    assert_true(t < 1.0f && pose.p.y > a.bounds.lower.y);
    check_close(rbl_shape_distance(a.shape, pose.p, NULL), 0.003, 0.0005);
    check_ok(rbl_shape_destroy(bullet));
    check_ok(rbl_shape_destroy(plate));
}

// ---- memory ----

static void colliding_survives_running_out_of_memory(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    const rblShapeId torus = make_level_set("torus", 12);
    const rblShapeId dumbbell = make_dumbbell();
    const rblShapeView views[2] = {view_of(torus), view_of(dumbbell)};
    const size_t live = memory.live;
    const rblCollideOptions options = options_of(0.01f, 0.0f, 8);
    const rblTransform pose = {{0.05f, 0, 0}, {0, 0, 0, 1}};
    for (int which = 0; which < 2; ++which)
    {
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t n = 0; result != RBL_OK; ++n)
        {
            rblContactSet set = {0};
            memory.left = n;
            result = rbl_shape_collide(&views[0], &views[which], pose, &options, NULL, &set);
            assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
            assert_true(result != RBL_OK || set.count > 0);
            rbl_contact_set_free(&set);
            assert_int_equal(memory.live, live);
        }
    }
    memory.left = SIZE_MAX;
    check_ok(rbl_shape_destroy(torus));
    check_ok(rbl_shape_destroy(dumbbell));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

static void stated_bytes_are_those_taken(void** state)
{
    (void)state;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    rblShapeId other;
    check_ok(rbl_mesh_make("torus", NULL, 0, &def.mesh));
    def.max_cells = 16;
    check_ok(rbl_shape_create_level_set(&def, &other)); // the tables of ids have grown now
    const size_t before = rbl_bytes_in_use();
    check_ok(rbl_shape_create_level_set(&def, &id));
    const size_t taken = rbl_bytes_in_use() - before;
    check_close(taken, view_of(id).bytes, 256);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_shape_destroy(other));
    check_ok(rbl_mesh_destroy(def.mesh));
}

typedef rblResult MakeShape(const void* input, rblShapeId* out);

static rblResult make_coarse_box(const void* input, rblShapeId* out)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    (void)input;
    rblResult result = rbl_mesh_make("box", NULL, 0, &def.mesh);
    if (result == RBL_OK)
    {
        def.max_cells = 8;
        result = rbl_shape_create_level_set(&def, out);
        check_ok(rbl_mesh_destroy(def.mesh));
    }
    return result;
}

static rblResult make_user_torus(const void* input, rblShapeId* out)
{
    return rbl_shape_create_user(input, out);
}

static rblResult make_pair(const void* input, rblShapeId* out)
{
    rblShapeId ball;
    (void)input;
    rblResult result = rbl_shape_create_box(rbl_vec3(1, 1, 1), &ball);
    if (result == RBL_OK)
    {
        const rblShapeChild children[2] = {{ball, {{-0.5f, 0, 0}, {0, 0, 0, 1}}},
                                           {ball, {{0.5f, 0, 0}, {0, 0, 0, 1}}}};
        result = rbl_shape_create_compound(children, 2, out);
        check_ok(rbl_shape_destroy(ball));
    }
    return result;
}

static void check_running_out(MakeShape* make, const void* input)
{
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t n = 0; result != RBL_OK; ++n)
    {
        rblShapeId id = {0, 0};
        failing_allocator_start(&memory, n);
        check_ok(rbl_set_allocator(&memory.allocator));
        result = make(input, &id);
        if (result == RBL_OK)
        {
            check_ok(rbl_shape_destroy(id));
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(rbl_shape_alive_count(), 0);
        assert_int_equal(rbl_mesh_alive_count(), 0);
        check_ok(rbl_set_allocator(NULL));
        assert_int_equal(memory.live, 0);
    }
}

static void running_out_of_memory_is_survived(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    rblVec3 samples[TORUS_AROUND * TORUS_TUBE];
    const rblUserShape def = torus_def(&torus, samples);
    check_running_out(make_coarse_box, NULL);
    check_running_out(make_user_torus, &def);
    check_running_out(make_pair, NULL);
    assert_int_equal(destroyed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_torus_rests_on_a_plane),
        cmocka_unit_test(bad_user_shapes_are_refused),
        cmocka_unit_test(compounds_are_the_sum_of_their_children),
        cmocka_unit_test(compounds_touch_with_their_children),
        cmocka_unit_test(bad_compounds_are_refused),
        cmocka_unit_test(level_sets_reach_the_wanted_error),
        cmocka_unit_test(bad_level_sets_are_refused_by_name),
        cmocka_unit_test(no_sample_deeper_than_eps_is_dropped),
        cmocka_unit_test(all_samples_can_be_had),
        cmocka_unit_test(contacts_are_the_same_both_ways_round),
        cmocka_unit_test(contacts_repeat_bit_by_bit_and_reuse_memory),
        cmocka_unit_test(the_cache_keeps_poses),
        cmocka_unit_test(the_cache_never_changes_a_result),
        cmocka_unit_test(a_plate_lies_on_few_contacts),
        cmocka_unit_test(time_of_impact_is_never_late),
        cmocka_unit_test(a_bullet_does_not_pass_a_thin_plate),
        cmocka_unit_test(colliding_survives_running_out_of_memory),
        cmocka_unit_test(stated_bytes_are_those_taken),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
