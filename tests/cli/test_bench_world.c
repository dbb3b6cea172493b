// The scenes that engines are compared on, and how they travel to other programs.
#include "testing.h"

#include "bench/bench_world.h"
#include <stdlib.h>
#include <string.h>

static void check_floats(const float* actual, const double* expected, int count)
{
    for (int i = 0; i < count; ++i)
    {
        assert_true(actual[i] == (float)expected[i]);
    }
}

// Where point k of a shape's surface lies in the axes that it was given in.
static void given_point(const rblTrial* trial, uint32_t shape, uint32_t k, double out[3])
{
    const rblTrialShape* from = &trial->shapes[shape];
    const float* point = trial->points + 3 * (from->first_point + k);
    const double own[3] = {(double)point[0], (double)point[1], (double)point[2]};
    rbl_trial_turn(from->axes, own, out);
    for (int i = 0; i < 3; ++i)
    {
        out[i] += from->center[i];
    }
}

static bool has_point(const rblTrial* trial, uint32_t shape, const double point[3])
{
    bool found = false;
    for (uint32_t k = 0; k < trial->shapes[shape].point_count; ++k)
    {
        double at[3];
        given_point(trial, shape, k, at);
        found = found || fabs(at[0] - point[0]) + fabs(at[1] - point[1]) + fabs(at[2] - point[2]) < 1e-7;
    }
    return found;
}

// Numbers of the scene file that the other engines' figures were measured on.
static void the_pile_is_the_one_of_the_scene_file(void** state)
{
    (void)state;
    static const double slab[3] = {5.18, 1.0, 5.18};
    static const double wall_z[3] = {1.18, 6.0, 1.0};
    static const double wall_at[3] = {1.09, 3.0, 0.0};
    static const double first_at[3] = {-0.36, 0.5, -0.36};
    static const double first_turn[4] = {-0.4086159, 0.6339452, -0.0943489, -0.6498037};
    static const double last_at[3] = {0.0, 1.22, -0.36};
    static const double last_turn[4] = {-0.7723186, -0.2558914, 0.5329818, -0.2323231};
    static const double first_point[3] = {-0.048186, -0.002321, -0.040132};
    static const double last_point[3] = {-0.032913, 0.047136, 0.001849};
    rblWorldScene scene;
    check_ok(rbl_world_scene_pile(20, 3, &scene));
    const rblTrial* trial = &scene.trial;
    assert_int_equal(trial->setup.body_count, 25);
    assert_int_equal(trial->setup.steps, 150);
    check_floats(trial->shapes[0].size, slab, 3);
    check_floats(trial->shapes[2].size, wall_z, 3);
    check_floats(trial->bodies[1].position, wall_at, 3);
    check_floats(trial->bodies[5].position, first_at, 3);
    check_floats(trial->bodies[5].rotation, first_turn, 4);
    check_floats(trial->bodies[24].position, last_at, 3);
    check_floats(trial->bodies[24].rotation, last_turn, 4);
    assert_true(has_point(trial, trial->bodies[5].shape, first_point));
    assert_true(has_point(trial, trial->bodies[24].shape, last_point));
    assert_false(has_point(trial, trial->bodies[24].shape, first_point));
    rbl_world_scene_free(&scene);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void poses_come_back_from_own_axes(void** state)
{
    (void)state;
    rblWorldScene scene;
    check_ok(rbl_world_scene_pile(4, 2, &scene));
    for (uint32_t i = 0; i < scene.trial.setup.body_count; ++i)
    {
        const rblTrialBody* body = &scene.trial.bodies[i];
        rblTrialState start;
        double position[3];
        double rotation[4];
        rbl_trial_start(&scene.trial, i, &start);
        rbl_trial_shape_pose(&scene.trial, i, &start, position, rotation);
        for (int k = 0; k < 3; ++k)
        {
            check_close(position[k], body->position[k], 1e-7);
        }
        for (int k = 0; k < 4; ++k)
        {
            check_close(rotation[k], body->rotation[k], 1e-6);
        }
    }
    rbl_world_scene_free(&scene);
}

// A box of 2 x 4 x 6 m and 1000 kg/m^3, spinning about its second axis while it lies on its side.
static void energies_and_momenta_are_those_of_the_textbook(void** state)
{
    (void)state;
    rblWorldScene scene = rbl_world_scene(1.0);
    uint32_t box;
    check_ok(rbl_world_scene_box(&scene, 2.0f, 4.0f, 6.0f, &box));
    rblTrialBody body = rbl_world_body(box, 0.0f, 3.0f, 0.0f);
    body.rotation[2] = (float)sqrt(0.5);
    body.rotation[3] = (float)sqrt(0.5);
    body.velocity[2] = 2.0f;
    body.spin[0] = -3.0f; // the box's y points along -x
    check_ok(rbl_world_scene_add(&scene, &body));
    rblTrialState start;
    double momentum[3];
    rbl_trial_start(&scene.trial, 0, &start);
    rbl_trial_momentum(&scene.trial, 0, &start, momentum);
    const double mass = 48000.0;
    const double moment = mass * (4.0 + 36.0) / 12.0;
    check_relative(rbl_trial_kinetic(&scene.trial, 0, &start), 0.5 * mass * 4.0 + 0.5 * moment * 9.0, 1e-6);
    check_relative(rbl_trial_potential(&scene.trial, 0, &start), mass * 9.81 * 3.0, 1e-6);
    check_relative(momentum[0], -3.0 * moment, 1e-6);
    check_close(momentum[1], 0.0, 1e-6 * moment);
    rbl_world_scene_free(&scene);
}

static void trials_and_runs_survive_a_file(void** state)
{
    (void)state;
    const char* path = "bench_world_trial.tmp";
    rblWorldScene scene;
    rblWorldRuns runs;
    rblTrial trial;
    rblTrialRun run;
    check_ok(rbl_world_scene_pile(4, 2, &scene));
    scene.trial.setup.steps = 3;
    scene.trial.setup.every_step = 1;
    check_ok(rbl_world_play(&scene, &runs));
    assert_int_equal(runs.ours.frame_count, 4);
    assert_int_equal(rbl_trial_write(&scene.trial, path), 0);
    assert_int_equal(rbl_trial_read(path, &trial), 0);
    assert_memory_equal(&trial.setup, &scene.trial.setup, sizeof trial.setup);
    assert_memory_equal(trial.bodies, scene.trial.bodies, sizeof *trial.bodies * trial.setup.body_count);
    assert_memory_equal(trial.points, scene.trial.points, 3 * sizeof(float) * trial.setup.point_count);
    assert_int_equal(rbl_trial_run_write(&trial, &runs.ours, path), 0);
    assert_int_equal(rbl_trial_run_read(&trial, path, &run), 0);
    assert_string_equal(run.engine, "Rubble");
    assert_memory_equal(run.states, runs.ours.states,
                        sizeof *run.states * run.frame_count * trial.setup.body_count);
    rbl_trial_run_free(&run);
    rbl_trial_free(&trial);
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    remove(path);
}

static void broken_files_are_refused(void** state)
{
    (void)state;
    const char* path = "bench_world_broken.tmp";
    rblTrial trial;
    rblTrialRun run;
    rblWorldScene scene;
    check_ok(rbl_world_scene_pile(4, 2, &scene));
    remove(path);
    assert_int_not_equal(rbl_trial_read(path, &trial), 0);
    assert_int_not_equal(rbl_trial_run_read(&scene.trial, path, &run), 0);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(&scene.trial.setup, sizeof scene.trial.setup, 1, file); // and nothing of what it promises
    fclose(file);
    assert_int_not_equal(rbl_trial_read(path, &trial), 0);
    remove(path);
    rbl_world_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pile_is_the_one_of_the_scene_file),
        cmocka_unit_test(poses_come_back_from_own_axes),
        cmocka_unit_test(energies_and_momenta_are_those_of_the_textbook),
        cmocka_unit_test(trials_and_runs_survive_a_file),
        cmocka_unit_test(broken_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
