// The shipped scenes: each runs, keeps the rule of energy, and writes what it promises.
#include "testing.h"

#include "io/file.h"
#include "io/json/json.h"
#include "math/quat.h"
#include "math/vec.h"
#include "scene/export/export.h"
#include "scene/run/simulate.h"
#include <stdlib.h>
#include <string.h>

#define SCENES RBL_TEST_DOCS "/../scenes/"

typedef struct Shipped
{
    const char* name;
    uint32_t steps; // at most; long scenes are shortened
    bool works;     // something does work on it: spawns, kinematic bodies
    bool breaks;    // a body breaks in these steps
} Shipped;

static const Shipped shipped[] = {
    {"free_spin_plate", 600, false, false},
    {"free_spin_needle", 600, false, false},
    {"incline_slide", 60, false, false},
    {"incline_hold", 300, false, false},
    {"incline_stop", 96, false, false},
    {"slide_and_stop", 90, false, false},
    {"stack20", 60, false, false},
    {"dominoes", 90, false, false},
    {"newton_cradle", 200, false, false},
    {"wrecking_ball", 36, false, false},
    {"elevator", 240, true, false},
    {"disrupted_stack", 180, true, false},
    {"rolling_plate", 60, false, false},
    {"bowl_of_statues", 6, false, false},
    {"bullet", 30, false, false},
    {"pile_1000", 6, false, false},
    {"pillar", 20, false, true},
    {"pillar_shards", 20, false, true},
    {"wall_three_hits", 12, true, true},
    {"wall_realistic", 12, true, true},
    {"cylinder_25", 12, false, true},
    {"statue_35", 9, false, true},
    {"wall_two_stages", 12, false, true},
    {"table_25", 12, false, true},
    {"table_100", 10, false, true},
    {"table_1000", 9, false, true},
    {"plates", 30, true, true},
    {"wine_glass", 12, false, true},
    {"piggy_bank", 10, false, true},
    {"stress_brick", 12, false, true},
    {"stress_bricks", 6, false, true},
    {"stress_piggy_bank", 10, false, true},
    {"stress_plates", 15, true, true},
    {"stress_statues", 7, true, true},
    {"stress_handled", 42, true, true},
};

static void open_scene(const char* name, rblSceneId* scene)
{
    char path[512];
    snprintf(path, sizeof path, SCENES "%s.json", name);
    check_ok(rbl_scene_load(path, scene));
}

static void run(rblSimulation* simulation, uint32_t steps)
{
    while (!rbl_simulation_done(simulation) && simulation->step < steps)
    {
        check_ok(rbl_simulation_advance(simulation));
    }
}

// E = kinetic + potential - work so far rises by at most 1e-6 S in a step and 1e-4 S in all; S is the largest kinetic energy
// plus the span of the potential. Where nothing does work, work is 0.
static void check_energy(const Shipped* scene, const rblSimulation* simulation)
{
    const rblRunSummary s = rbl_statistics_summary(&simulation->run.statistics);
    if (s.worst_rise > 1e-6 * s.scale || s.total_rise > 1e-4 * s.scale)
    {
        fail_msg("%s: energy rises by %.3g in a step and %.3g in all, of a scale of %.3g", scene->name,
                 s.worst_rise, s.total_rise, s.scale);
    }
    // Joints in loops yield, and spring back: that is work too.
    const bool loops = strcmp(scene->name, "newton_cradle") == 0;
    if (!scene->works && fabs(s.work) > (loops ? 1e-5 * s.scale : 0.0))
    {
        fail_msg("%s: work of %.3g J where nothing does any", scene->name, s.work);
    }
    assert_int_equal(s.frozen, 0);
}

static void check_breaks(const Shipped* scene, const rblSimulation* simulation)
{
    bool broke = false;
    for (uint32_t i = 0; i < simulation->run.statistics.events.count; ++i)
    {
        broke = broke || strcmp(simulation->run.statistics.events.data[i].type, "break") == 0;
    }
    if (broke != scene->breaks)
    {
        fail_msg("%s: %s in %u steps", scene->name, broke ? "something breaks" : "nothing breaks",
                 simulation->step);
    }
}

static void shipped_scenes_keep_the_rule_of_energy(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; ++i)
    {
        rblSceneId scene;
        rblSimulation simulation;
        open_scene(shipped[i].name, &scene);
        check_ok(rbl_simulation_start(&simulation, scene, false));
        run(&simulation, shipped[i].steps);
        check_energy(&shipped[i], &simulation);
        check_breaks(&shipped[i], &simulation);
        rbl_simulation_free(&simulation);
        check_ok(rbl_scene_destroy(scene));
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static rblBodyState state_of(const rblSimulation* simulation, const char* name)
{
    rblBodyState body = {0};
    for (uint32_t i = 0; i < simulation->view.body_count; ++i)
    {
        if (strcmp(simulation->view.bodies[i].name, name) == 0)
        {
            check_ok(rbl_body_state(simulation->world, simulation->bodies[i], &body));
            return body;
        }
    }
    fail_msg("no body '%s'", name);
    return body;
}

static void start(const char* name, rblSceneId* scene, rblSimulation* simulation)
{
    open_scene(name, scene);
    check_ok(rbl_simulation_start(simulation, *scene, false));
}

static void finish(rblSceneId scene, rblSimulation* simulation)
{
    rbl_simulation_free(simulation);
    check_ok(rbl_scene_destroy(scene));
}

static void scenes_end_where_closed_forms_say(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    start("slide_and_stop", &scene, &simulation);
    run(&simulation, UINT32_MAX);
    check_relative((double)state_of(&simulation, "brick").pose.p.x + 0.75, 9.0 / (2.0 * 0.3 * 9.81), 0.005);
    finish(scene, &simulation);

    start("incline_slide", &scene, &simulation);
    const rblVec3 from = state_of(&simulation, "brick").pose.p;
    run(&simulation, UINT32_MAX);
    const double slope = 20.0 * 3.14159265358979323846 / 180.0;
    check_relative((double)rbl_length3(rbl_sub3(state_of(&simulation, "brick").pose.p, from)),
                   0.5 * 9.81 * (sin(slope) - 0.2 * cos(slope)) * 4.0, 0.005);
    finish(scene, &simulation);

    start("incline_stop", &scene, &simulation);
    const rblVec3 pushed = state_of(&simulation, "cube").pose.p;
    run(&simulation, UINT32_MAX);
    check_relative((double)rbl_length3(rbl_sub3(state_of(&simulation, "cube").pose.p, pushed)),
                   9.0 / (2.0 * 9.81 * (0.5 * cos(slope) - sin(slope))), 0.005);
    assert_false(state_of(&simulation, "cube").awake);
    finish(scene, &simulation);

    start("incline_hold", &scene, &simulation);
    const rblVec3 held = state_of(&simulation, "brick").pose.p;
    run(&simulation, UINT32_MAX);
    assert_true(rbl_length3(rbl_sub3(state_of(&simulation, "brick").pose.p, held)) < 1e-4f);
    finish(scene, &simulation);
}

static void bullets_do_not_pass_the_pane(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    start("bullet", &scene, &simulation);
    while (!rbl_simulation_done(&simulation))
    {
        check_ok(rbl_simulation_advance(&simulation));
        for (uint32_t i = 2; i < simulation.view.body_count; ++i)
        {
            rblBodyState body;
            check_ok(rbl_body_state(simulation.world, simulation.bodies[i], &body));
            assert_true(body.center.z > 0.0f);
        }
    }
    finish(scene, &simulation);
}

static void riders_of_the_elevator_stay_on_it(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    start("elevator", &scene, &simulation);
    while (!rbl_simulation_done(&simulation))
    {
        check_ok(rbl_simulation_advance(&simulation));
        const float gap =
            state_of(&simulation, "crate[0][0]").pose.p.y - state_of(&simulation, "platform").pose.p.y - 0.4f;
        check_close(gap, 0.0, 0.06); // a platform that stops at once throws its riders up by v^2 / 2 g
    }
    check_close(state_of(&simulation, "platform").pose.p.y, 0.1, 1e-3);
    finish(scene, &simulation);
}

static uint64_t hash_with(uint32_t workers, const char* name, uint32_t steps)
{
    rblSceneId scene;
    rblSimulation simulation;
    const rblTasks tasks = tasks_of(workers);
    check_ok(rbl_set_tasks(&tasks));
    start(name, &scene, &simulation);
    run(&simulation, steps);
    const uint64_t hash = simulation.run.statistics.hash;
    finish(scene, &simulation);
    check_ok(rbl_set_tasks(NULL));
    return hash;
}

static void hashes_do_not_depend_on_threads(void** state)
{
    (void)state;
    static const char* const names[] = {"wrecking_ball", "disrupted_stack", "newton_cradle"};
    for (size_t i = 0; i < 3; ++i)
    {
        const uint64_t hash = hash_with(1, names[i], 24);
        assert_true(hash == hash_with(3, names[i], 24));
    }
}

// ---- files ----

static void read_whole(const char* path, rblFileBytes* file, rblJsonDocument* document)
{
    check_ok(rbl_file_read(path, SIZE_MAX / 2, rbl_default_allocator(), file));
    check_ok(rbl_json_parse(document, (const char*)file->bytes, file->size, path, rbl_default_allocator()));
}

static double number_at(rblJson object, const char* key)
{
    double number = 0.0;
    check_ok(rbl_json_get_number(rbl_json_find(object, key), &number));
    return number;
}

static void statistics_are_as_the_contract_fixes_them(void** state)
{
    (void)state;
    static const char* const step_keys[] = {
        "t",       "bodies",    "fragments", "awake",      "pairs",    "contacts",        "colliding",
        "kinetic", "potential", "work",      "dissipated", "momentum", "angularMomentum", "ms"};
    static const char* const stage_keys[] = {"total",     "broad",    "narrow", "solve",
                                             "integrate", "fracture", "update"};
    rblSceneId scene;
    rblSimulation simulation;
    rblFileBytes file;
    rblJsonDocument document;
    const char* hash = NULL;
    bool portable = false;
    start("disrupted_stack", &scene, &simulation);
    run(&simulation, 125);
    check_ok(rbl_statistics_write(&simulation.run.statistics, "disrupted_stack", "scene_stats.json"));
    read_whole("scene_stats.json", &file, &document);
    const rblJson root = rbl_json_root(&document);
    const rblJson steps = rbl_json_find(root, "steps");
    assert_int_equal(rbl_json_count(steps), 126); // the start, and one per step
    for (uint32_t i = 0; i < 126; ++i)
    {
        const rblJson step = rbl_json_item(steps, i);
        assert_int_equal(rbl_json_count(step), 14);
        for (uint32_t k = 0; k < 14; ++k)
        {
            assert_true(rbl_json_exists(rbl_json_find(step, step_keys[k])));
        }
        for (uint32_t k = 0; k < 7; ++k)
        {
            assert_true(number_at(rbl_json_find(step, "ms"), stage_keys[k]) >= 0.0);
        }
        // Every digit comes back.
        assert_true(number_at(step, "kinetic") == simulation.run.statistics.steps.data[i].energy.kinetic);
        check_close(number_at(step, "t"), (double)i / 30.0, 1e-9);
    }
    assert_true(number_at(rbl_json_item(steps, 0), "kinetic") == 0.0);
    // The large box brings its energy with it; the balance closes to rounding.
    const rblJson before = rbl_json_item(steps, 120);
    const rblJson after = rbl_json_item(steps, 121);
    assert_true(number_at(after, "work") > 1e4);
    check_close(number_at(after, "kinetic") + number_at(after, "potential"),
                number_at(before, "kinetic") + number_at(before, "potential") + number_at(after, "work") -
                    number_at(after, "dissipated"),
                1e-6 * number_at(after, "work"));
    const rblJson event = rbl_json_item(rbl_json_find(root, "events"), 0);
    check_close(number_at(event, "t"), 4.0, 1e-9);
    assert_true(rbl_json_exists(rbl_json_find(event, "surfaceEnergy")));
    check_ok(rbl_json_get_string(rbl_json_find(root, "hash"), &hash));
    assert_int_equal(strlen(hash), 16);
    check_ok(rbl_json_get_bool(rbl_json_find(root, "portable"), &portable));
    assert_true(portable);
    assert_true(number_at(root, "peakBytes") > 0.0);
    assert_true(number_at(root, "massError") == 0.0);
    rbl_json_free(&document);
    rbl_file_bytes_free(&file);
    remove("scene_stats.json");
    finish(scene, &simulation);
}

static void animations_keep_every_pose_and_shape(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    rblMeshId mesh;
    rblMeshView view;
    open_scene("disrupted_stack", &scene);
    check_ok(rbl_simulation_start(&simulation, scene, true));
    run(&simulation, 130);
    const uint32_t last = simulation.view.body_count - 1;
    rblRunKey key;
    rblBodyState body;
    check_ok(rbl_simulation_finish(&simulation));
    assert_false(rbl_run_state(&simulation.run, last, 120, &key));
    assert_true(rbl_run_state(&simulation.run, last, 121, &key));
    for (uint32_t i = 0; i <= last; ++i)
    {
        check_ok(rbl_body_state(simulation.world, simulation.bodies[i], &body));
        assert_true(rbl_run_state(&simulation.run, i, 130, &key));
        assert_true(rbl_length3(rbl_sub3(key.pose.p, body.pose.p)) == 0.0f);
        check_close(fabsf(rbl_quat_dot(key.pose.q, body.pose.q)), 1.0, 1e-6);
    }
    assert_int_equal(simulation.run.bodies.data[0].keys.count, 2); // the floor never moves
    check_ok(rbl_export_glb(&simulation.run, "scene_run.glb", &(rblExportOptions){.every = 1}));
    check_ok(rbl_mesh_load("scene_run.glb", NULL, &mesh)); // our own strict reader takes it
    check_ok(rbl_mesh_view(mesh, &view));
    assert_int_equal(view.face_count, 2 + 9 * 12);
    check_ok(rbl_mesh_destroy(mesh));
    remove("scene_run.glb");
    finish(scene, &simulation);
}

// A body that rests and then moves again has a key just before it moves, so that lines between keys are right; frames say
// the same as the world did; touches and partings add up.
static void runs_tell_what_the_world_did(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    open_scene("disrupted_stack", &scene);
    check_ok(rbl_simulation_start(&simulation, scene, true));
    rblBodyMotion motions[16];
    uint32_t count = 0;
    while (!rbl_simulation_done(&simulation))
    {
        check_ok(rbl_simulation_advance(&simulation));
        check_ok(rbl_world_motions(simulation.world, motions, 16, &count));
        assert_int_equal(count, simulation.run.bodies.count);
        for (uint32_t i = 0; i < count; ++i)
        {
            rblRunKey key;
            assert_true(rbl_run_state(&simulation.run, i, simulation.step, &key));
            assert_memory_equal(&key.velocity, &motions[i].velocity, sizeof key.velocity);
            assert_memory_equal(&key.pose.p, &motions[i].pose.p, sizeof key.pose.p);
        }
    }
    check_ok(rbl_simulation_finish(&simulation));
    uint32_t touching[16] = {0};
    size_t next = 0;
    rbl_run_touching(&simulation.run, simulation.step, &next, touching);
    assert_true(touching[0] > 0); // the floor carries something at the end
    for (size_t b = 0; b < simulation.run.bodies.count; ++b)
    {
        const rblRunBody* body = &simulation.run.bodies.data[b];
        assert_true(touching[b] < simulation.run.bodies.count);
        assert_int_equal(body->keys.data[0].step, body->birth);
        assert_int_equal(body->keys.data[body->keys.count - 1].step, simulation.step);
        for (size_t k = 1; k < body->keys.count; ++k)
        {
            const rblRunKey* key = &body->keys.data[k];
            const bool moved = memcmp(&key->pose, &key[-1].pose, sizeof key->pose) != 0;
            assert_true(key->step > key[-1].step);
            assert_true(!moved || key->step == key[-1].step + 1);
        }
    }
    finish(scene, &simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_scenes_keep_the_rule_of_energy),
        cmocka_unit_test(scenes_end_where_closed_forms_say),
        cmocka_unit_test(bullets_do_not_pass_the_pane),
        cmocka_unit_test(riders_of_the_elevator_stay_on_it),
        cmocka_unit_test(hashes_do_not_depend_on_threads),
        cmocka_unit_test(statistics_are_as_the_contract_fixes_them),
        cmocka_unit_test(animations_keep_every_pose_and_shape),
        cmocka_unit_test(runs_tell_what_the_world_did),
    };
    return cmocka_run_group_tests_name("scene runs", tests, NULL, NULL);
}
