// Runs in which bodies break, in files: recordings, checkpoints, recordings of calls.
#include "testing.h"

#include "box_breaker.h"
#include "rubble/recorder.h"
#include "scene/record/checkpoint.h"
#include "scene/record/recording.h"
#include "scene/record/replay.h"
#include "smash_testing.h"
#include <stdlib.h>
#include <string.h>

static void record_to(const char* path, bool quantise, uint64_t* hash)
{
    const rblSceneId scene = load(smash);
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_ok(rbl_simulation_record(&simulation, path, quantise));
    run_through(&simulation);
    *hash = simulation.run.statistics.hash;
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

static void recordings_keep_fragments_and_replay_the_same(void** state)
{
    (void)state;
    const char* path = "scene_fracture.rbl";
    for (int quantise = 0; quantise < 2; ++quantise)
    {
        uint64_t hash;
        rblRun run;
        rblReplay replay;
        rblRecordingReport report;
        record_to(path, quantise != 0, &hash);
        check_ok(rbl_recording_load(path, &run, &report));
        assert_true(report.problem[0] == '\0' && run.statistics.hash == hash);
        const rblStepRecord* last = &run.statistics.steps.data[run.statistics.steps.count - 1];
        uint32_t pieces = 0;
        double energy = 0.0;
        for (size_t i = 0; i < run.statistics.events.count; ++i)
        {
            pieces += run.statistics.events.data[i].pieces;
            energy += run.statistics.events.data[i].surface_energy;
        }
        assert_true(pieces > 8 && energy > 0.0);
        assert_int_equal(last->counters.fragments, pieces);
        assert_int_equal(run.statistics.steps.data[0].counters.fragments, 0);
        check_ok(rbl_replay_start(&replay, &run, false));
        for (uint32_t i = 0; i < rbl_run_last_step(&run); ++i)
        {
            check_ok(rbl_replay_advance(&replay));
        }
        assert_int_equal(replay.first_difference, RBL_NONE);
        rbl_replay_free(&replay);
        rbl_run_free(&run);
        remove(path);
    }
}

// ---- checkpoints ----

static void check_same_statistics(const rblStatistics* a, const rblStatistics* b)
{
    assert_int_equal(a->steps.count, b->steps.count);
    assert_int_equal(a->events.count, b->events.count);
    for (size_t i = 0; i < a->steps.count; ++i)
    {
        assert_true(a->steps.data[i].hash == b->steps.data[i].hash);
        assert_int_equal(a->steps.data[i].counters.fragments, b->steps.data[i].counters.fragments);
        assert_true(a->steps.data[i].energy.dissipated == b->steps.data[i].energy.dissipated);
    }
    for (size_t i = 0; i < a->events.count; ++i)
    {
        assert_string_equal(a->events.data[i].body, b->events.data[i].body);
        assert_true(a->events.data[i].surface_energy == b->events.data[i].surface_energy);
        assert_true(a->events.data[i].heat == b->events.data[i].heat);
        assert_int_equal(a->events.data[i].pieces, b->events.data[i].pieces);
    }
}

static void check_same_bodies(const rblRun* a, const rblRun* b)
{
    assert_int_equal(a->bodies.count, b->bodies.count);
    assert_int_equal(a->shapes.count, b->shapes.count);
    for (size_t i = 0; i < a->bodies.count; ++i)
    {
        const rblRunBody* x = &a->bodies.data[i];
        const rblRunBody* y = &b->bodies.data[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->shape == y->shape && x->parent == y->parent && x->mass == y->mass);
        assert_true(x->birth == y->birth && x->death == y->death);
        for (uint32_t step = 0; step <= rbl_run_last_step(a); ++step)
        {
            rblRunKey p = {0};
            rblRunKey q = {0};
            assert_true(rbl_run_state(a, (uint32_t)i, step, &p) == rbl_run_state(b, (uint32_t)i, step, &q));
            p.step = q.step = 0; // where it changed last: a step to go on from is whole
            assert_memory_equal(&p, &q, sizeof p);
        }
    }
}

// Stop after some steps, go on elsewhere.
static void record_in_two_parts(rblSceneId scene, const char* path, uint32_t steps)
{
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_ok(rbl_simulation_record(&simulation, path, false));
    while (simulation.step < steps)
    {
        check_ok(rbl_simulation_advance(&simulation));
    }
    check_ok(rbl_checkpoint_save(&simulation, "scene_fracture.check"));
    check_ok(rbl_simulation_advance(&simulation)); // dropped when it is gone on with
    rbl_simulation_free(&simulation);
    check_ok(rbl_checkpoint_resume(&simulation, scene, "scene_fracture.check"));
    assert_int_equal(simulation.step, steps);
    check_ok(rbl_simulation_record(&simulation, path, false));
    run_through(&simulation);
    rbl_simulation_free(&simulation);
    remove("scene_fracture.check");
}

static void runs_go_on_from_before_and_after_a_break(void** state)
{
    (void)state;
    const char* path = "scene_fracture.rbl";
    const rblSceneId scene = load(smash);
    rblSimulation whole;
    rblSceneView view;
    check_ok(rbl_scene_view(scene, &view));
    check_ok(rbl_simulation_start(&whole, scene, true));
    run_through(&whole);
    for (uint32_t steps = 0; steps + 1 < view.step_count; ++steps)
    {
        rblRun run;
        record_in_two_parts(scene, path, steps);
        check_ok(rbl_recording_load(path, &run, NULL));
        check_same_statistics(&run.statistics, &whole.run.statistics);
        check_same_bodies(&run, &whole.run);
        rbl_run_free(&run);
        remove(path);
    }
    rbl_simulation_free(&whole);
    check_ok(rbl_scene_destroy(scene));
}

// ---- calls ----

static rblBodyId put_box(rblWorldId world, rblBreakerId breaker, rblVec3 at, rblBodyType type)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_material_preset("plaster", &def.material));
    check_ok(rbl_shape_create_box((rblVec3){0.5f, 0.3f, 0.4f}, &def.shape));
    def.type = type;
    def.pose.p = at;
    def.breaker = breaker;
    def.anchor.kind = RBL_ANCHOR_NONE;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

static rblWorldId record_world(const char* path)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    def.seed = 99;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_record(world, path));
    return world;
}

static void calls_that_break_happen_again(void** state)
{
    (void)state;
    const char* path = "scene_fracture_calls.rbl";
    rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakerId breaker;
    rblReplayReport report;
    def.pattern.pieces = 7;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    const rblWorldId world = record_world(path);
    put_box(world, breaker, (rblVec3){0, 0.2f, 0}, RBL_BODY_STATIC);
    const rblBodyId body = put_box(world, breaker, (rblVec3){0, 2, 0}, RBL_BODY_DYNAMIC);
    for (int i = 0; i < 30; ++i)
    {
        if (i == 5)
        {
            check_ok(rbl_body_break(world, body, (rblVec3){0, 2, 0}, (rblVec3){0, -1, 0}));
        }
        check_ok(rbl_world_step(world, 1.0f / 30.0f));
    }
    rblCounters counters;
    check_ok(rbl_world_counters(world, &counters));
    assert_true(counters.fragments > 3);
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_calls_replay(path, &report));
    assert_true(report.same && report.complete);
    assert_int_equal(report.steps, 30);
    remove(path);
}

// A recording that begins when something has broken already, and something else is still to break.
static void recordings_begin_among_fragments(void** state)
{
    (void)state;
    const char* path = "scene_fracture_calls.rbl";
    rblPrescoredDef def = rbl_default_prescored_def();
    rblWorldDef world_def = rbl_default_world_def();
    rblBreakerId breaker;
    rblWorldId world;
    rblReplayReport report;
    rblCounters before;
    rblCounters after;
    def.pattern.pieces = 7;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    check_ok(rbl_world_create(&world_def, &world));
    const rblBodyId floor = put_box(world, breaker, (rblVec3){0, 0.2f, 0}, RBL_BODY_STATIC);
    const rblBodyId body = put_box(world, breaker, (rblVec3){0, 1, 0}, RBL_BODY_DYNAMIC);
    check_ok(rbl_body_break(world, body, (rblVec3){0, 1, 0}, (rblVec3){0, -1, 0}));
    check_ok(rbl_world_step(world, 1.0f / 30.0f));
    check_ok(rbl_world_counters(world, &before));
    check_ok(rbl_world_record(world, path));
    check_ok(rbl_body_break(world, floor, (rblVec3){0, 0.3f, 0}, (rblVec3){0, -1, 0}));
    for (int i = 0; i < 20; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / 30.0f));
    }
    check_ok(rbl_world_counters(world, &after));
    assert_true(before.fragments > 3 && after.fragments > before.fragments + 3);
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_calls_replay(path, &report));
    assert_true(report.same && report.complete);
    remove(path);
}

static void breakers_of_the_users_own_are_refused_by_name(void** state)
{
    (void)state;
    const char* path = "scene_fracture_calls.rbl";
    BoxBreaker boxes = {.counts = {2, 2, 2}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = record_world(path);
    put_box(world, breaker, (rblVec3){0, 2, 0}, RBL_BODY_DYNAMIC);
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_world_stop_recording(world));
    assert_non_null(strstr(rbl_last_error(), "'boxes'"));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    remove("scene_fracture_calls.rbl.part");
    remove(path);
}

static void nothing_is_left(void** state)
{
    (void)state;
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_keep_fragments_and_replay_the_same),
        cmocka_unit_test(runs_go_on_from_before_and_after_a_break),
        cmocka_unit_test(calls_that_break_happen_again),
        cmocka_unit_test(recordings_begin_among_fragments),
        cmocka_unit_test(breakers_of_the_users_own_are_refused_by_name),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
