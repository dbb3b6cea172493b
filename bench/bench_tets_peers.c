// The same fragments in other engines: once nearly all are there, they go on from where they are.
#include "bench/bench_tets.h"

#include "base/error.h"
#include "scene/run/simulate.h"
#include <stdio.h>
#include <stdlib.h>

#define STEPS 10u   // that are compared
#define MOST  0.9   // of the fragments are there when they begin
#define FEW   500.0 // triangles of a fragment: with more, to cut it into convex parts takes minutes

// The step after which they begin; the last one when there is none.
static uint32_t find_moment(const rblTetsBenchRun* run)
{
    uint32_t i = 0;
    while (i + 1 < run->count && run->steps[i].fragments < MOST * run->fragments)
    {
        ++i;
    }
    return i + 1;
}

static void put3(float out[3], rblVec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static rblResult add_body(rblWorldScene* scene, rblWorldId world, rblBodyId id)
{
    rblBodyState state;
    rblShapeView view;
    rblTrialBody body = rbl_world_body(0, 0.0f, 0.0f, 0.0f);
    RBL_TRY(rbl_body_state(world, id, &state));
    RBL_TRY(rbl_shape_view(state.shape, &view));
    RBL_TRY(rbl_world_scene_copy(scene, &view, &body.shape));
    body.moves = state.type == RBL_BODY_DYNAMIC;
    body.density = body.moves ? state.mass / (float)view.mass.volume : body.density;
    body.rotation[0] = state.pose.q.x;
    body.rotation[1] = state.pose.q.y;
    body.rotation[2] = state.pose.q.z;
    body.rotation[3] = state.pose.q.w;
    put3(body.position, state.pose.p);
    put3(body.velocity, state.velocity);
    put3(body.spin, state.spin);
    return rbl_world_scene_add(scene, &body);
}

static rblResult copy_world(const rblSimulation* simulation, rblWorldScene* scene)
{
    uint32_t count = 0;
    RBL_TRY(rbl_world_bodies(simulation->world, NULL, 0, &count));
    rblBodyId* ids = malloc(sizeof *ids * (count + 1));
    rblResult result =
        ids != NULL ? rbl_world_bodies(simulation->world, ids, count, &count) : rbl_fail_memory();
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        result = add_body(scene, simulation->world, ids[i]);
    }
    free(ids);
    return result;
}

// The run again, until the moment.
static rblResult copy_moment(rblSceneId id, uint32_t moment, rblWorldScene* scene)
{
    rblSimulation simulation = {.allocator = NULL};
    rblResult result = rbl_simulation_start(&simulation, id, false);
    while (result == RBL_OK && simulation.step < moment)
    {
        result = rbl_simulation_advance(&simulation);
    }
    scene->trial.setup.step = (float)simulation.view.step;
    scene->trial.setup.steps = STEPS;
    result = result == RBL_OK ? copy_world(&simulation, scene) : result;
    rbl_simulation_free(&simulation);
    return result;
}

static void report(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs, double ours)
{
    for (int i = 0; i < RBL_WORLD_PEERS; ++i)
    {
        const rblTrialRun* run = &runs->theirs[i];
        rblBenchRow row = {
            .subject = subject, .metric = "ten steps with all fragments", .value = ours, .unit = "ms"};
        row.peer = run->engine;
        for (uint32_t k = 1; runs->ran[i] && k < run->step_count; ++k)
        {
            row.peer_value += run->steps[k].milliseconds / (run->step_count - 1);
        }
        if (runs->ran[i])
        {
            rbl_bench_row(bench->bench, &row);
        }
    }
}

rblResult rbl_tets_bench_compare(rblWorldBench* bench, const char* subject, rblSceneId scene,
                                 const rblTetsBenchRun* run)
{
    const uint32_t moment = find_moment(run);
    const bool few = run->triangles_after < FEW * run->fragments;
    rblWorldScene copy = rbl_world_scene(1.0);
    rblWorldRuns runs = {.scene = &copy};
    double ours = 0.0;
    uint32_t count = 0;
    if (run->fragments == 0)
    {
        return RBL_OK;
    }
    for (uint32_t i = moment; i < run->count && count < STEPS; ++i, ++count)
    {
        ours += run->steps[i].collision + run->steps[i].physics;
    }
    rblResult result = copy_moment(scene, moment, &copy);
    if (result == RBL_OK)
    {
        result = rbl_world_ask_peers(bench, subject, &copy.trial,
                                     RBL_WORLD_BULLET | (few ? RBL_WORLD_PARTS : 0u), &runs);
    }
    if (result == RBL_OK && count > 0)
    {
        report(bench, subject, &runs, ours / count);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&copy);
    return result;
}
