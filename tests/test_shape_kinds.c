// A kind of shape that no other file knows: its descriptor is all that contacts, scene files, recordings and replays need.
#include "testing.h"

#include "base/random.h"
#include "field/engine.h"
#include "field/shape_codec.h"
#include "field/shape_keys.h"
#include "field/shape_kinds.h"
#include "math/mat3.h"
#include "math/trig.h"
#include "replay_testing.h"
#include "rubble/solids.h"
#include "shape_testing.h"
#include <string.h>

// ---- the kind: ellipsoids ----

typedef struct Ellipsoid
{
    rblVec3 radii;
} Ellipsoid;

static double component(rblVec3 v, int axis)
{
    return (double)(&v.x)[axis];
}

// The closest point p of the surface to q is p_i = q_i r_i^2 / (t + r_i^2) with the root t of sum (r_i q_i / (t + r_i^2))^2 = 1
// (Eberly 2013, "Distance from a Point to an Ellipsoid"), found by halving. At the centre: along the shortest axis.
static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblVec3 r = ((const Ellipsoid*)data)->radii;
    const double shortest = (double)rbl_minf(r.x, rbl_minf(r.y, r.z));
    double low = -shortest * shortest;
    double high = (double)rbl_length3(point) * (double)rbl_maxf(r.x, rbl_maxf(r.y, r.z));
    for (int k = 0; k < 100; ++k)
    {
        const double t = 0.5 * (low + high);
        double sum = 0.0;
        for (int i = 0; i < 3; ++i)
        {
            const double ri = component(r, i);
            const double part = ri * component(point, i) / rbl_maxd(t + ri * ri, 1e-30);
            sum += part * part;
        }
        *(sum > 1.0 ? &low : &high) = t;
    }
    rblVec3d normal, off;
    for (int i = 0; i < 3; ++i)
    {
        const double ri = component(r, i), qi = component(point, i);
        const double pi = qi * ri * ri / rbl_maxd(high + ri * ri, 1e-30);
        (&normal.x)[i] = pi / (ri * ri);
        (&off.x)[i] = qi - pi;
    }
    const rblVec3d unit = rbl_normalize3d(normal, (rblVec3d){0, 1, 0});
    *gradient = rbl_to_float3(unit);
    return rbl_dot3(point, point) > 0.0f ? (float)rbl_dot3d(unit, off) : (float)-shortest;
}

static rblVec3 support(const void* data, rblVec3 d)
{
    const rblVec3 r = ((const Ellipsoid*)data)->radii;
    const rblVec3 s = {d.x * r.x, d.y * r.y, d.z * r.z};
    const rblVec3 unit = rbl_normalize3(s, (rblVec3){0, 1, 0});
    return (rblVec3){unit.x * r.x, unit.y * r.y, unit.z * r.z};
}

static void free_ellipsoid(void* data, const rblAllocator* allocator)
{
    rbl_free(allocator, data, sizeof(Ellipsoid));
}

static rblResult create(const void* def, rblShapeId* out);

static const Ellipsoid default_def = {{1, 1, 1}};

static const rblParameter rows[] = {{.key = "radii",
                                     .type = RBL_PARAMETER_VECTOR,
                                     .offset = offsetof(Ellipsoid, radii),
                                     .about = "along x, y and z, m",
                                     .max = RBL_PARAMETER_UNLIMITED,
                                     .min_excluded = true,
                                     .required = true},
                                    {.type = RBL_PARAMETER_END}};

static const rblShapeKeys keys = {.about = "an ellipsoid with its centre at the origin",
                                  .rows = rows,
                                  .def_size = sizeof(Ellipsoid),
                                  .defaults = &default_def,
                                  .create = create};

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    rbl_put_floats(sink, &((const Ellipsoid*)shape->data)->radii.x, 3);
    return RBL_OK;
}

static const rblShapeKind ellipsoid_kind;

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    Ellipsoid def;
    rbl_take_floats(source, &def.radii.x, 3);
    return source->failed ? rbl_shape_fail_damaged(&ellipsoid_kind) : create(&def, out);
}

static const rblShapeKind ellipsoid_kind = {.name = "ellipsoid",
                                            .rolling = RBL_ROLLS_ALWAYS,
                                            .joinable = true,
                                            .distance = distance,
                                            .support = support,
                                            .keys = &keys,
                                            .put = put,
                                            .take = take,
                                            .free = free_ellipsoid};

static rblResult create(const void* def, rblShapeId* out)
{
    const rblVec3 r = ((const Ellipsoid*)def)->radii;
    const double m = 4.0 / 3.0 * RBL_PI * (double)r.x * (double)r.y * (double)r.z;
    const rblVec3d s = {(double)r.x * (double)r.x, (double)r.y * (double)r.y, (double)r.z * (double)r.z};
    const float longest = rbl_maxf(r.x, rbl_maxf(r.y, r.z)), shortest = rbl_minf(r.x, rbl_minf(r.y, r.z));
    rblShape parts = {.kind = &ellipsoid_kind, .allocator = rbl_default_allocator()};
    parts.view = (rblShapeView){.bounds = {rbl_neg3(r), r},
                                .radius = longest,
                                .inner_radius = shortest,
                                .thinnest = 2.0f * shortest,
                                .mass = {.volume = m, .mass = m}};
    parts.view.mass.inertia =
        rbl_mat3d_diagonal(0.2 * m * (s.y + s.z), 0.2 * m * (s.x + s.z), 0.2 * m * (s.x + s.y));
    rbl_eigen_symmetric3d(&parts.view.mass.inertia, &parts.view.mass.moments,
                          &parts.view.mass.principal_axes);
    parts.core = (rblConvexCore){.form = RBL_CORE_SUPPORT, .size = longest};
    Ellipsoid* ellipsoid = rbl_alloc(parts.allocator, sizeof *ellipsoid);
    assert_non_null(ellipsoid);
    ellipsoid->radii = r;
    parts.data = ellipsoid;
    rblVec3 samples[200];
    rblRandom random = rbl_random_seed(7, 7);
    for (int i = 0; i < 200; ++i)
    {
        samples[i] = support(ellipsoid, random_direction(&random));
    }
    return rbl_shape_register(&parts, sizeof *ellipsoid, samples, 200, out);
}

static rblShapeId make(float x, float y, float z)
{
    rblShapeId id;
    check_ok(create(&(Ellipsoid){{x, y, z}}, &id));
    return id;
}

// ---- contacts ----

// With equal radii it is a ball: the same gaps and normals against every kind, and the same times of impact.
static void it_touches_as_a_ball_does(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    rblShapeId ball, others[6];
    const rblShapeId round = make(0.1f, 0.1f, 0.1f);
    check_ok(rbl_shape_create_sphere(0.1f, &ball));
    check_ok(rbl_shape_create_plane((rblVec3){0.1f, 1, 0.2f}, &others[0]));
    check_ok(rbl_shape_create_box((rblVec3){0.3f, 0.2f, 0.4f}, &others[1]));
    check_ok(rbl_shape_create_cylinder(0.1f, 0.3f, &others[2]));
    check_ok(rbl_shape_create_capsule(0.1f, 0.4f, &others[3]));
    check_ok(rbl_shape_create_sphere(0.2f, &others[4]));
    others[5] = make(0.2f, 0.2f, 0.2f);
    rblContactSet sets[2] = {{0}, {0}};
    uint32_t touching = 0;
    for (int i = 0; i < 600; ++i)
    {
        rblShapeView views[2], other;
        check_ok(rbl_shape_view(round, &views[0]));
        check_ok(rbl_shape_view(ball, &views[1]));
        check_ok(rbl_shape_view(others[i % 6], &other));
        const rblVec3 way = random_direction(&random);
        const rblTransform pose = {rbl_scale3(way, 0.1f + 0.3f * rbl_random_float(&random)), {0, 0, 0, 1}};
        rblCollideOptions options = rbl_default_collide_options();
        options.margin = 0.02f;
        for (int k = 0; k < 2; ++k)
        {
            check_ok(rbl_shape_collide(&other, &views[k], pose, &options, NULL, &sets[k]));
        }
        const bool deep = sets[1].count > 0 && sets[1].points[0].distance < -0.05f;
        if (deep)
        {
            continue; // which way out is shortest may differ
        }
        assert_int_equal(sets[0].count, sets[1].count);
        for (uint32_t k = 0; k < sets[0].count; ++k)
        {
            check_close(sets[0].points[k].distance, sets[1].points[k].distance, 2e-5);
            assert_true(rbl_dot3(sets[0].points[k].normal, sets[1].points[k].normal) > 0.999f);
        }
        touching += sets[0].count;
        const rblSweep still = {.from = {{0, 0, 0}, {0, 0, 0, 1}}};
        const rblSweep coming = {.from = {rbl_scale3(way, 1.0f), {0, 0, 0, 1}},
                                 .translation = rbl_scale3(way, -1.0f)};
        check_close(rbl_shape_time_of_impact(&other, &still, &views[0], &coming, 0.01f, 1e-4f),
                    rbl_shape_time_of_impact(&other, &still, &views[1], &coming, 0.01f, 1e-4f), 1e-3);
    }
    assert_true(touching > 100);
    for (int k = 0; k < 2; ++k)
    {
        rbl_contact_set_free(&sets[k]);
    }
    for (int i = 0; i < 6; ++i)
    {
        check_ok(rbl_shape_destroy(others[i]));
    }
    check_ok(rbl_shape_destroy(round));
    check_ok(rbl_shape_destroy(ball));
}

// ---- files ----

static const char scene_text[] =
    "{\"rubble\": 1, \"shapes\": {\"ground\": {\"kind\": \"plane\"},"
    " \"egg\": {\"kind\": \"ellipsoid\", \"radii\": [0.2, 0.1, 0.15]}},"
    " \"materials\": {\"wood\": {\"density\": 700}}, \"bodies\": ["
    " {\"name\": \"ground\", \"shape\": \"ground\", \"material\": \"wood\", \"type\": \"static\"},"
    " {\"name\": \"egg\", \"shape\": \"egg\", \"material\": \"wood\", \"position\": [0, 0.3, 0]}]}";

// A recording of a kind that this program does not have is refused by its name, and nothing of it is left.
static void refuse_another_name(const char* path)
{
    rblFileBytes file;
    rblReplayReport report = {.calls = 77};
    uint32_t found = 0;
    check_ok(rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), &file));
    for (size_t i = 0; i + 9 <= file.size; ++i)
    {
        if (memcmp(file.bytes + i, "ellipsoid", 9) == 0)
        {
            file.bytes[i] = 'E';
            ++found;
        }
    }
    assert_int_equal(found, 1);
    recording_seal(file.bytes, file.size);
    const uint32_t shapes = rbl_shape_alive_count();
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_calls_replay_memory(file.bytes, file.size, "egg.rbl", &report));
    assert_non_null(strstr(rbl_last_error(), "egg.rbl: byte "));
    assert_non_null(strstr(rbl_last_error(), "shape: kind 'Ellipsoid' is not known to this program"));
    assert_true(report.calls == 77 && rbl_shape_alive_count() == shapes);
    rbl_file_bytes_free(&file);
}

// From a scene file into a world, recorded call by call, and replayed with the same hash after every step.
static void scenes_recordings_and_replays_know_it(void** state)
{
    (void)state;
    rblSceneId scene;
    check_ok(rbl_scene_load_memory(scene_text, strlen(scene_text), "egg", &scene));
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[2];
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_record(world, "egg.rbl"));
    check_ok(rbl_scene_build(scene, world, bodies));
    for (int i = 0; i < 90; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / 60.0f));
    }
    rblBodyState rests;
    check_ok(rbl_body_state(world, bodies[1], &rests));
    check_close(rests.pose.p.y, 0.1, 2e-3);
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
    rblReplayReport report;
    check_ok(rbl_calls_replay("egg.rbl", &report));
    assert_string_equal(report.problem, "");
    assert_true(report.complete && report.same);
    assert_int_equal(report.steps, 90);
    refuse_another_name("egg.rbl");
    (void)remove("egg.rbl");
}

static void its_keys_are_checked(void** state)
{
    (void)state;
    static const char* const wrong[][2] = {
        {"{\"kind\": \"ellipsoid\"}", "radii"},
        {"{\"kind\": \"ellipsoid\", \"radii\": [1, 0, 1]}", "radii[1]"},
        {"{\"kind\": \"ellipsoid\", \"radii\": [1, 1, 1], \"radius\": 1}", "radius"},
        {"{\"kind\": \"ellipsoit\", \"radii\": [1, 1, 1]}", "did you mean 'ellipsoid'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        char text[512];
        rblSceneId scene;
        (void)snprintf(text, sizeof text, "{\"rubble\": 1, \"shapes\": {\"egg\": %s}, \"bodies\": []}",
                       wrong[i][0]);
        check_fails(RBL_ERROR_FORMAT, rbl_scene_load_memory(text, strlen(text), "egg", &scene));
        if (strstr(rbl_last_error(), wrong[i][1]) == NULL)
        {
            fail_msg("'%s' does not say '%s'", rbl_last_error(), wrong[i][1]);
        }
    }
}

// ---- the table ----

static void the_table_refuses_names_that_are_taken(void** state)
{
    (void)state;
    const rblShapeKind nameless = {.name = ""}, box = {.name = "box"};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_kind_register(NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_kind_register(&nameless));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_kind_register(&box));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_kind_register(&ellipsoid_kind));
    assert_ptr_equal(rbl_shape_kind_find("ellipsoid"), &ellipsoid_kind);
    assert_null(rbl_shape_kind_find("octree"));
}

// Codes of recordings are unique but for the two kinds of pieces, and every kind has what others call without asking.
static void every_kind_is_complete(void** state)
{
    (void)state;
    const rblShapeKind *a, *b;
    for (uint32_t i = 0; (a = rbl_shape_kind_at(i)) != NULL; ++i)
    {
        assert_true(a->name[0] != '\0' && a->distance != NULL && a->put != NULL && a->free != NULL);
        assert_ptr_equal(rbl_shape_kind_find(a->name), a);
        for (uint32_t k = i + 1; (b = rbl_shape_kind_at(k)) != NULL; ++k)
        {
            assert_true(a->code == 0 || a->code != b->code || (a->piece && b->piece && a->take == b->take));
        }
    }
}

static void unknown_kinds_in_recordings_are_refused_by_name(void** state)
{
    (void)state;
    rblByteSink sink;
    rblShapeId out;
    const rblSourceTables tables = {0};
    rbl_sink_init(&sink, rbl_default_allocator());
    rbl_put_u8(&sink, 255);
    rbl_put_string(&sink, "octree");
    rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_take_shape(&source, &tables, &out));
    assert_non_null(strstr(rbl_last_error(), "'octree'"));
    source = (rblByteSource){.data = sink.bytes.data, .size = 3};
    check_fails(RBL_ERROR_FORMAT, rbl_take_shape(&source, &tables, &out));
    const uint8_t unknown_code = 77;
    source = (rblByteSource){.data = &unknown_code, .size = 1};
    check_fails(RBL_ERROR_FORMAT, rbl_take_shape(&source, &tables, &out));
    rbl_sink_free(&sink);
}

static int add_the_kind(void** state)
{
    (void)state;
    return rbl_shape_kind_register(&ellipsoid_kind) == RBL_OK ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_touches_as_a_ball_does),
        cmocka_unit_test(scenes_recordings_and_replays_know_it),
        cmocka_unit_test(its_keys_are_checked),
        cmocka_unit_test(the_table_refuses_names_that_are_taken),
        cmocka_unit_test(every_kind_is_complete),
        cmocka_unit_test(unknown_kinds_in_recordings_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, add_the_kind, NULL);
}
