// Plates that lean on thin rails and are smashed by balls: bodies move on after the impact, and nothing stays in a rail.
#include "math/transform.h"
#include "world_testing.h"

#include "rubble/scene.h"
#include <stdlib.h>

#define PLATES     RBL_TEST_DOCS "/../scenes/plates.json"
#define MAX_BODIES 1024
#define RAIL       0.02f // m: statics thinner than this are rails

typedef struct Run
{
    rblSceneId scene;
    rblSceneView view;
    rblWorldId world;
    rblBodyId* bodies;
    uint32_t events; // that have happened
    uint32_t steps;
} Run;

static Run begin_run(void)
{
    Run run = {.events = 0};
    rblWorldDef def = rbl_default_world_def();
    check_ok(rbl_scene_load(PLATES, &run.scene));
    check_ok(rbl_scene_prepare(run.scene));
    check_ok(rbl_scene_view(run.scene, &run.view));
    check_ok(rbl_scene_world_def(run.scene, &def));
    check_ok(rbl_world_create(&def, &run.world));
    run.bodies = calloc(MAX_BODIES, sizeof *run.bodies);
    check_ok(rbl_scene_build(run.scene, run.world, run.bodies));
    return run;
}

static void step_run(Run* run)
{
    const double now = run->view.step * (double)run->steps;
    for (; run->events < run->view.event_count && run->view.events[run->events].time <= now + 1e-6;
         ++run->events)
    {
        check_ok(rbl_scene_apply(run->scene, run->world, run->events, run->bodies));
    }
    check_ok(rbl_world_step(run->world, (float)run->view.step));
    run->steps += 1;
}

static void end_run(Run* run)
{
    free(run->bodies);
    check_ok(rbl_world_destroy(run->world));
    check_ok(rbl_scene_destroy(run->scene));
}

static float depth_of(const rblBodyState* a, const rblBodyState* b, rblContactSet* set)
{
    const rblCollideOptions options = rbl_default_collide_options();
    rblShapeView views[2];
    rblPairCache cache = {0};
    float depth = 0.0f;
    check_ok(rbl_shape_view(a->shape, &views[0]));
    check_ok(rbl_shape_view(b->shape, &views[1]));
    check_ok(rbl_shape_collide(&views[0], &views[1], rbl_transform_relative(a->pose, b->pose), &options,
                               &cache, set));
    for (uint32_t i = 0; i < set->count; ++i)
    {
        depth = rbl_maxf(depth, -set->points[i].distance);
    }
    return depth;
}

static bool is_rail(const rblBodyState* body)
{
    rblShapeView view;
    check_ok(rbl_shape_view(body->shape, &view));
    return body->type == RBL_BODY_STATIC && view.bounded && view.thinnest < RAIL;
}

static void no_shard_stays_in_a_rail(void** state)
{
    (void)state;
    static rblBodyId all[MAX_BODIES];
    Run run = begin_run();
    uint32_t count = 0;
    while ((double)run.steps * run.view.step < run.view.duration)
    {
        step_run(&run);
    }
    check_ok(rbl_world_bodies(run.world, all, MAX_BODIES, &count));
    assert_in_range(count, 60, MAX_BODIES);
    rblContactSet set = {0};
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblBodyState rail = state_of(run.world, all[i]);
        for (uint32_t k = 0; k < count && is_rail(&rail); ++k)
        {
            const rblBodyState shard = state_of(run.world, all[k]);
            const float depth = shard.type == RBL_BODY_DYNAMIC ? depth_of(&shard, &rail, &set) : 0.0f;
            if (!(depth < 0.2f * RAIL))
            {
                fail_msg("body %u is %.1f mm deep in a rail", all[k].index1, 1e3 * (double)depth);
            }
        }
    }
    rbl_contact_set_free(&set);
    end_run(&run);
}

// Shards between the ball and a rail are thin: none of them may hold the ball for long.
static void a_ball_is_not_held_in_the_air(void** state)
{
    (void)state;
    static rblBodyId all[MAX_BODIES];
    Run run = begin_run();
    uint32_t count = 0;
    rblBodyId ball = {0};
    uint32_t impact = 0; // its step
    for (; run.steps < 60 && (impact == 0 || run.steps < impact + 6);)
    {
        step_run(&run);
        check_ok(rbl_world_bodies(run.world, all, MAX_BODIES, &count));
        for (uint32_t i = 0; i < count && ball.index1 == 0; ++i)
        {
            ball = state_of(run.world, all[i]).center.z > 1.0f ? all[i] : ball;
        }
        const bool slower = ball.index1 != 0 && state_of(run.world, ball).velocity.z > -8.9f;
        impact = impact == 0 && slower ? run.steps : impact;
    }
    assert_true(impact > 0);
    assert_true(state_of(run.world, ball).center.z < -0.3f);
    end_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_shard_stays_in_a_rail),
        cmocka_unit_test(a_ball_is_not_held_in_the_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
