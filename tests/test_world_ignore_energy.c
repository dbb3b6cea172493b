// The energy rules are what keeps energy: worlds that ignore them, in which it grows, converge only with small steps.
#include "world_testing.h"

#include "dynamics/world.h"
#include "rubble/scene.h"
#include <math.h>
#include <stdlib.h>

#define SHARDS RBL_TEST_DOCS "/../scenes/pillar_shards.json"

static void ignore_energy(rblWorldId id)
{
    rblWorld* world;
    check_ok(rbl_world_find(id, &world));
    assert_false(world->ignores_energy); // unless a test or a benchmark asks for it
    world->ignores_energy = true;
}

// ---- free rotation ----

// Largest relative error of the kinetic energy of a needle that spins for four seconds, 30 degrees off its axis.
static double spin_error(bool ignores_energy, uint32_t rate)
{
    const rblWorldId world = make_world(false);
    const rblBodyId needle = put(world, make_box(1.0f, 0.02f, 0.02f), RBL_BODY_DYNAMIC, vec(0, 0, 0));
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    check_ok(rbl_body_set_velocity(world, needle, vec(0, 0, 0), vec(34.6410162f, 20.0f, 0)));
    if (ignores_energy)
    {
        ignore_energy(world);
    }
    rblEnergy energy;
    check_ok(rbl_world_step(world, 0.0f));
    check_ok(rbl_world_energy(world, &energy));
    const double start = energy.kinetic;
    double worst = 0.0;
    for (uint32_t i = 0; i < 4 * rate; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / (float)rate));
        check_ok(rbl_world_energy(world, &energy));
        worst = fmax(worst, fabs(energy.kinetic / start - 1.0));
    }
    check_ok(rbl_world_destroy(world));
    return worst;
}

static void the_energy_of_free_rotation_needs_the_rules(void** state)
{
    (void)state;
    const double kept = spin_error(false, 30);
    const double plain = spin_error(true, 30);
    const double fine = spin_error(true, 1920);
    print_message("needle: energy off by %.2g, without rules %.2g, without rules at 1920 Hz %.2g\n", kept,
                  plain, fine);
    assert_true(kept < 1e-5);
    assert_true(plain > 0.1);
    assert_true(fine < 0.01 * plain);
}

// ---- shards ----

typedef struct ShardRun
{
    float highest; // m: centre of any fragment
    double rise;   // of the energy at the start: the largest in a step
} ShardRun;

static float highest_fragment(rblWorldId world)
{
    rblBodyId ids[1024];
    uint32_t count = 0;
    float highest = 0.0f;
    check_ok(rbl_world_bodies(world, ids, 1024, &count));
    assert_true(count <= 1024);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState state;
        check_ok(rbl_body_state(world, ids[i], &state));
        if (state.generation > 0)
        {
            highest = fmaxf(highest, state.center.y);
        }
    }
    return highest;
}

static ShardRun drop_pillars(bool ignores_energy)
{
    rblSceneId scene;
    rblSceneView view;
    rblWorldId world;
    rblWorldDef def = rbl_default_world_def();
    check_ok(rbl_scene_load(SHARDS, &scene));
    check_ok(rbl_scene_prepare(scene));
    check_ok(rbl_scene_view(scene, &view));
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    rblBodyId* bodies = calloc(view.body_count, sizeof *bodies);
    check_ok(rbl_scene_build(scene, world, bodies));
    if (ignores_energy)
    {
        ignore_energy(world);
    }
    rblEnergy energy;
    check_ok(rbl_world_step(world, 0.0f));
    check_ok(rbl_world_energy(world, &energy));
    const double start = energy.kinetic + energy.potential;
    double before = start;
    ShardRun run = {.rise = 0.0};
    for (uint32_t i = 0; i < view.step_count; ++i)
    {
        check_ok(rbl_world_step(world, (float)view.step));
        check_ok(rbl_world_energy(world, &energy));
        run.rise = fmax(run.rise, (energy.kinetic + energy.potential - before) / start);
        run.highest = fmaxf(run.highest, highest_fragment(world));
        before = energy.kinetic + energy.potential;
    }
    free(bodies);
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
    return run;
}

// Su 2009, Fig. 1: without the rules, shards of the pillars fly high into the air. Any one pillar may be lucky, ten are not.
// With the rules no shard rises above the tops of the pillars at the start.
static void shards_stay_low_only_with_the_rules(void** state)
{
    (void)state;
    const ShardRun kept = drop_pillars(false);
    const ShardRun plain = drop_pillars(true);
    print_message("pillars: shards up to %.2f m, without rules %.2f m; rise in a step %.2g and %.2g\n",
                  (double)kept.highest, (double)plain.highest, kept.rise, plain.rise);
    assert_true(kept.highest < 1.5f && kept.rise < 1e-6);
    assert_true(plain.highest > 3.0f && plain.rise > 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_of_free_rotation_needs_the_rules),
        cmocka_unit_test(shards_stay_low_only_with_the_rules),
    };
    return cmocka_run_group_tests_name("ignore_energy", tests, NULL, NULL);
}
