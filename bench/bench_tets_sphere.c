// How finely surface and inside are sampled, and what that costs: the broken ball of Glondu 2012, Fig. 8.
#include "bench/bench_tets.h"

#include "base/error.h"
#include "dynamics/world.h"
#include "fracture/stress/stress_private.h"
#include <stdio.h>
#include <string.h>

#define MAX_RUNS 3

typedef struct Ball
{
    const char* name;
    uint32_t frequency;  // 20 of its square are the triangles
    uint32_t tetrahedra; // that give the points inside
    double update, mean, most;
} Ball;

static const Ball balls[] = {{"ball, reference", 11, 29500, 1.54, 1.16, 3.27},
                             {"ball, finer surface", 22, 29500, 1.8, 1.37, 4.17},
                             {"ball, coarser inside", 11, 3600, 0.46, 0.68, 2.26}};

static rblResult load(const Ball* ball, rblSceneId* out)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"rubble\": 1, \"step\": 0.015, \"duration\": 1.2, \"sleeping\": false, \"shapes\": {\"ground\": "
        "{\"kind\": \"plane\", \"normal\": [0, 1, 0]}, \"ball\": {\"kind\": \"icosphere\", \"radius\": 0.1, "
        "\"frequency\": %u}}, \"bodies\": [{\"name\": \"floor\", \"shape\": \"ground\", \"type\": "
        "\"static\"}, {\"name\": \"ball\", \"shape\": \"ball\", \"material\": \"plaster\", \"position\": "
        "[0, 0.25, 0], \"velocity\": [1, -20, 0], \"fracture\": {\"method\": \"stress\", "
        "\"tetrahedra\": %u, \"generations\": 1, \"smallest\": 0.01}}]}",
        ball->frequency, ball->tetrahedra);
    return rbl_scene_load_memory(text, strlen(text), "ball", out);
}

// Triangles, and points that are inside and not on the surface.
static rblResult tell_sizes(void* context, const rblSimulation* simulation)
{
    double* sizes = context;
    rblWorld* world;
    RBL_TRY(rbl_world_find(simulation->world, &world));
    const rblStressBody* prepared = world->bodies.data[simulation->bodies[1].index1 - 1].prepared;
    const rblBackground* background = prepared->root->background;
    sizes[0] = prepared->root->surface_view.face_count;
    for (uint32_t i = 0; i < background->node_count; ++i)
    {
        sizes[1] += background->nodes[i].distance > 0.1f * background->edge;
    }
    return RBL_OK;
}

// Collisions while there are fragments, and the update that made them.
static void report(rblBench* bench, const Ball* ball, const double sizes[2], const rblTetsBenchRun* run)
{
    double update = 0.0, sum = 0.0, most = 0.0, steps = 0.0;
    for (uint32_t i = 0; i < run->count; ++i)
    {
        const rblTetsBenchStep* step = &run->steps[i];
        update = rbl_tets_bench_larger(update, step->update);
        sum += step->fragments > 0 ? step->collision : 0.0;
        most = rbl_tets_bench_larger(most, step->fragments > 0 ? step->collision : 0.0);
        steps += step->fragments > 0;
    }
    rbl_tets_bench_row(bench, ball->name, "triangles", sizes[0], "", 0.0);
    rbl_tets_bench_row(bench, ball->name, "points inside", sizes[1], "", 0.0);
    rbl_tets_bench_row(bench, ball->name, "fragments", run->fragments, "", 0.0);
    rbl_tets_bench_row(bench, ball->name, "update", update, "ms", ball->update);
    rbl_tets_bench_row(bench, ball->name, "queries of a step, average", steps > 0.0 ? sum / steps : 0.0, "ms",
                       ball->mean);
    rbl_tets_bench_row(bench, ball->name, "queries of a step, most", most, "ms", ball->most);
}

static rblResult measure(rblBench* bench, const Ball* ball, rblSceneId scene)
{
    double sizes[2] = {0.0, 0.0};
    rblTetsBenchRun run;
    const uint32_t steps = rbl_bench_size(bench, UINT32_MAX, 3);
    RBL_TRY(rbl_tets_bench_play(scene, steps, tell_sizes, sizes, &run));
    for (uint32_t i = 1; i < rbl_bench_size(bench, MAX_RUNS, 1); ++i)
    {
        rblTetsBenchRun again;
        const rblResult result = rbl_tets_bench_play(scene, steps, NULL, NULL, &again);
        if (result != RBL_OK)
        {
            rbl_tets_bench_run_free(&run);
            return result;
        }
        rbl_tets_bench_run_merge(&run, &again);
        rbl_tets_bench_run_free(&again);
    }
    report(bench, ball, sizes, &run);
    rbl_tets_bench_run_free(&run);
    return RBL_OK;
}

rblResult rbl_bench_tets_sphere(rblBench* bench)
{
    for (size_t i = 0; i < sizeof balls / sizeof *balls; ++i)
    {
        Ball ball = balls[i];
        rblSceneId scene;
        ball.tetrahedra = rbl_bench_size(bench, ball.tetrahedra, 500);
        rbl_bench_stage(bench, ball.name);
        RBL_TRY(load(&ball, &scene));
        const rblResult result = measure(bench, &ball, scene);
        (void)rbl_scene_destroy(scene);
        RBL_TRY(result);
    }
    return RBL_OK;
}
