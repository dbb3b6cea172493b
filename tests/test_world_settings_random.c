// Worlds whose bodies become something else all the time: types, materials, breakers, gravity, breaks, joints, snapshots and restores, in
// random order. Checks of every stage hold, a snapshot is what it was, and a recording replays to the same hashes.
#include "world_testing.h"

#include "base/random.h"
#include "rubble/prescored.h"
#include "rubble/recorder.h"
#include <stdlib.h>

#define MOST_BODIES 64u
#define MOST_SAVED  3u

typedef struct Saved
{
    uint64_t* buffer;
    size_t size;
    uint64_t hash;
} Saved;

typedef struct Course
{
    rblWorldId world;
    rblRandom random;
    rblBreakerId breakers[3]; // the last one is null
    rblBodyId bodies[MOST_BODIES];
    uint32_t count;
    Saved saved[MOST_SAVED];
    uint32_t saves;
    bool sleeping;
} Course;

static uint32_t below(Course* course, uint32_t end)
{
    return (uint32_t)(rbl_random_u64(&course->random) % end);
}

static rblBreakerId make_breaker(uint32_t pieces)
{
    rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakerId breaker;
    def.pattern.kind = RBL_PATTERN_VORONOI;
    def.pattern.pieces = pieces;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    return breaker;
}

static void list_bodies(Course* course)
{
    uint32_t count = 0;
    check_ok(rbl_world_bodies(course->world, course->bodies, MOST_BODIES, &count));
    course->count = count < MOST_BODIES ? count : MOST_BODIES;
}

static void add_body(Course* course)
{
    const float x = 0.7f * (float)below(course, 5);
    const rblVec3 at = vec(x, 0.4f + 0.7f * (float)below(course, 6), 0);
    const rblShapeId shape = below(course, 3) == 0 ? make_sphere(0.3f) : make_box(0.5f, 0.6f, 0.5f);
    put(course->world, shape, (rblBodyType)below(course, RBL_BODY_TYPE_COUNT), at);
}

static void save_world(Course* course)
{
    size_t size = 0;
    Saved* saved = &course->saved[course->saves++ % MOST_SAVED];
    check_ok(rbl_world_save(course->world, NULL, 0, &size));
    free(saved->buffer);
    saved->buffer = malloc(size);
    check_ok(rbl_world_save(course->world, saved->buffer, size, &saved->size));
    saved->hash = hash_of(course->world);
}

static void restore_world(Course* course)
{
    const Saved* saved = &course->saved[below(course, MOST_SAVED)];
    if (saved->buffer != NULL)
    {
        check_ok(rbl_world_restore(course->world, saved->buffer, saved->size));
        assert_true(hash_of(course->world) == saved->hash);
    }
}

// Refused or done: never anything else.
static void expect_ok_or_refused(rblResult result)
{
    assert_true(result == RBL_OK || result == RBL_ERROR_ARGUMENT);
}

static void change_body(Course* course, rblBodyId body, uint32_t what)
{
    static const char* const names[] = {"stone", "glass", "steel", "wood"};
    const rblWorldId world = course->world;
    rblMaterial material;
    switch (what)
    {
    case 0:
        expect_ok_or_refused(rbl_body_set_type(world, body, (rblBodyType)below(course, RBL_BODY_TYPE_COUNT)));
        break;
    case 1:
        check_ok(rbl_material_preset(names[below(course, 4)], &material));
        check_ok(rbl_body_set_material(world, body, &material));
        break;
    case 2:
        check_ok(rbl_body_set_gravity_scale(world, body, (float)below(course, 4) - 1.0f));
        break;
    case 3:
        expect_ok_or_refused(rbl_body_set_breaker(world, body, course->breakers[below(course, 3)]));
        break;
    case 4:
        expect_ok_or_refused(course->count < MOST_BODIES / 2
                                 ? rbl_body_break(world, body, state_of(world, body).center, vec(0, -1, 0))
                                 : rbl_body_destroy(world, body));
        break;
    case 5:
        expect_ok_or_refused(rbl_body_set_velocity(world, body, vec(1, 2, 0), vec(0, 0, 3)));
        break;
    default:
        check_ok(state_of(world, body).pose.p.y < -20.0f ? rbl_body_destroy(world, body) : RBL_OK);
        break;
    }
}

static void join_two(Course* course)
{
    rblJointDef def = rbl_default_joint_def();
    rblJointId joint;
    def.kind = RBL_JOINT_DISTANCE;
    def.a = course->bodies[below(course, course->count)];
    def.b = course->bodies[below(course, course->count)];
    def.length = 1.0f;
    expect_ok_or_refused(rbl_joint_create(course->world, &def, &joint));
}

static void act(Course* course)
{
    const uint32_t what = below(course, 16);
    list_bodies(course);
    if (what < 10 && course->count > 0)
    {
        change_body(course, course->bodies[below(course, course->count)], what % 7);
    }
    else if (what == 10 && course->count < MOST_BODIES / 2)
    {
        add_body(course);
    }
    else if (what == 11 && course->count > 0)
    {
        join_two(course);
    }
    else if (what == 12)
    {
        save_world(course);
    }
    else if (what == 13)
    {
        restore_world(course);
    }
    else
    {
        step_times(course->world, 1 + below(course, course->sleeping ? 40 : 4));
    }
}

static void run_course(uint64_t seed)
{
    Course course = {
        .world = make_world(true), .random = rbl_random_seed(seed, 0), .sleeping = seed % 2 == 0};
    course.breakers[0] = make_breaker(3);
    course.breakers[1] = make_breaker(5);
    put(course.world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    for (int i = 0; i < 6; ++i)
    {
        add_body(&course);
    }
    step_times(course.world, seed % 3 == 0 ? 5 : 0); // recordings of worlds that have begun, too
    check_ok(rbl_world_record(course.world, "random_settings.rbl"));
    for (int i = 0; i < 250; ++i)
    {
        act(&course);
    }
    check_all_finite(course.world);
    check_ok(rbl_world_stop_recording(course.world));
    rblReplayReport report;
    check_ok(rbl_calls_replay("random_settings.rbl", &report));
    if (!report.same || !report.complete)
    {
        fail_msg("seed %u: %s", (unsigned)seed, report.problem);
    }
    remove("random_settings.rbl");
    check_ok(rbl_breaker_destroy(course.breakers[0]));
    check_ok(rbl_breaker_destroy(course.breakers[1]));
    check_ok(rbl_world_destroy(course.world));
    for (uint32_t i = 0; i < MOST_SAVED; ++i)
    {
        free(course.saved[i].buffer);
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void random_settings_keep_all_promises(void** state)
{
    (void)state;
    const char* seeds = getenv("RUBBLE_SEEDS");
    const uint64_t end = seeds != NULL ? strtoull(seeds, NULL, 10) : 8;
    for (uint64_t seed = 0; seed < end; ++seed)
    {
        run_course(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_settings_keep_all_promises)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
