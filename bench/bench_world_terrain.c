// Stones that roll down hills of 203 000 triangles, beside Bullet.
#include "bench/bench_world.h"

#include "base/error.h"
#include "base/timer.h"
#include <math.h>
#include <stdlib.h>

#define SPACING 0.5 // m
#define SUBJECT "1000 stones on hills of 203 000 triangles"

static double height(double x, double z)
{
    return 2.0 * sin(0.25 * x) * cos(0.21 * z) + 0.3 * sin(1.1 * x + 0.4 * z) + 0.1 * sin(3.1 * z);
}

static rblResult make_hills(uint32_t points, rblMeshId* out)
{
    const uint32_t cells = points - 1;
    rblVec3d* positions = calloc((size_t)points * points, sizeof *positions);
    uint32_t* starts = calloc(2 * (size_t)cells * cells + 1, sizeof *starts);
    uint32_t* corners = calloc(6 * (size_t)cells * cells, sizeof *corners);
    rblResult result = positions != NULL && starts != NULL && corners != NULL ? RBL_OK : rbl_fail_memory();
    for (uint32_t i = 0; result == RBL_OK && i < points * points; ++i)
    {
        const double x = SPACING * (i % points - 0.5 * cells);
        const double z = SPACING * (i / points - 0.5 * cells);
        positions[i] = (rblVec3d){x, height(x, z), z};
    }
    for (uint32_t i = 0; result == RBL_OK && i < cells * cells; ++i)
    {
        const uint32_t p = i / cells * points + i % cells;
        const uint32_t quad[6] = {p, p + points, p + 1, p + 1, p + points, p + points + 1};
        for (uint32_t k = 0; k < 6; ++k)
        {
            corners[6 * i + k] = quad[k];
        }
        starts[2 * i + 1] = 6 * i + 3;
        starts[2 * i + 2] = 6 * i + 6;
    }
    if (result == RBL_OK)
    {
        const rblMeshView view = {.vertex_count = points * points,
                                  .face_count = 2 * cells * cells,
                                  .corner_count = 6 * cells * cells,
                                  .positions = positions,
                                  .face_starts = starts,
                                  .corner_vertices = corners};
        result = rbl_mesh_create(&view, out);
    }
    free(corners);
    free(starts);
    free(positions);
    return result;
}

static void place(uint32_t index, float position[3], const void* context)
{
    (void)context;
    const double x = 1.5 * (index % 32 - 15.5);
    const double z = 1.5 * (index / 32 - 15.5);
    position[0] = (float)x;
    position[1] = (float)(height(x, z) + 1.0);
    position[2] = (float)z;
}

// Stones whose middle is below the ground.
static double below_ground(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    const rblTrial* trial = &runs->scene->trial;
    double below = 0.0;
    for (uint32_t i = 0; i < trial->setup.body_count; ++i)
    {
        const double* p = run->states[i].position;
        below += trial->bodies[i].moves != 0 && p[1] < height(p[0], p[2]) - 0.02;
    }
    return below;
}

static void report(rblWorldBench* bench, const rblWorldRuns* runs)
{
    rbl_world_row(
        bench, runs,
        &(rblWorldRow){SUBJECT, "mean step, s 2 to 5", "ms", rbl_world_settled_step, NULL, NULL, 0});
    rbl_world_row(bench, runs,
                  &(rblWorldRow){SUBJECT, "worst step", "ms", rbl_world_worst_step, NULL, NULL, 0});
    rbl_world_row(bench, runs,
                  &(rblWorldRow){SUBJECT, "stones below the ground", "", below_ground, NULL, NULL, 0});
}

rblResult rbl_bench_world_terrain(rblWorldBench* bench)
{
    const bool quick = rbl_bench_quick(bench->bench);
    rblWorldScene scene = rbl_world_scene(5.0);
    rblWorldRuns runs = {.scene = NULL};
    rblMeshId hills;
    uint32_t ground;
    RBL_TRY(make_hills(quick ? 40 : 320, &hills));
    const double start = rbl_timer_seconds();
    rblResult result = rbl_world_scene_ground(&scene, hills, &ground);
    rbl_world_fact(bench, SUBJECT, "creation of the ground", 1e3 * (rbl_timer_seconds() - start), "ms");
    if (result == RBL_OK)
    {
        rblTrialBody body = rbl_world_body(ground, 0.0f, 0.0f, 0.0f);
        body.moves = 0;
        result = rbl_world_scene_add(&scene, &body);
    }
    if (result == RBL_OK)
    {
        result = rbl_world_scene_stones(&scene, quick ? 20 : 1000, place, NULL);
    }
    scene.trial.setup.steps = quick ? 10 : scene.trial.setup.steps;
    for (uint32_t threads = 1; threads <= 2 && result == RBL_OK; ++threads)
    {
        scene.trial.setup.threads = threads;
        result = rbl_world_compare(bench, SUBJECT, &scene, threads == 1 ? RBL_WORLD_BULLET : 0, &runs);
        if (result == RBL_OK && threads == 1)
        {
            report(bench, &runs);
        }
        else if (result == RBL_OK)
        {
            rbl_world_row(bench, &runs,
                          &(rblWorldRow){SUBJECT, "mean step, two threads", "ms", rbl_world_settled_step,
                                         NULL, NULL, 0});
        }
        rbl_world_runs_free(&runs);
    }
    rbl_world_scene_free(&scene);
    rbl_mesh_destroy(hills);
    return result;
}
