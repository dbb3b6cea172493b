// Playing a scene whose bodies break by stress, and what it cost.
#include "bench/bench_tets.h"

#include "base/error.h"
#include "scene/run/simulate.h"
#include <stdlib.h>

void rbl_tets_bench_run_free(rblTetsBenchRun* run)
{
    free(run->steps);
    run->steps = NULL;
}

void rbl_tets_bench_run_merge(rblTetsBenchRun* run, const rblTetsBenchRun* other)
{
    for (uint32_t i = 0; i < run->count && i < other->count; ++i)
    {
        rblTetsBenchStep* step = &run->steps[i];
        const rblTetsBenchStep* o = &other->steps[i];
        step->total = rbl_tets_bench_smaller(step->total, o->total);
        step->collision = rbl_tets_bench_smaller(step->collision, o->collision);
        step->physics = rbl_tets_bench_smaller(step->physics, o->physics);
        step->update = rbl_tets_bench_smaller(step->update, o->update);
        step->fracture = rbl_tets_bench_smaller(step->fracture, o->fracture);
    }
}

// ---- triangles ----

static rblResult count_triangles(rblMeshId mesh, double* sum)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    *sum += (double)view.face_starts[view.face_count] - 2.0 * (double)view.face_count;
    return RBL_OK;
}

// Of bodies that may break, or of those that did not.
static rblResult count_whole(const rblSimulation* simulation, bool all, double* sum)
{
    for (uint32_t i = 0; i < simulation->view.body_count; ++i)
    {
        const rblSceneBody* body = &simulation->view.bodies[i];
        rblShapeId shape;
        rblMeshId surface;
        if (body->breaker != RBL_NONE && (all || rbl_body_is_valid(simulation->world, simulation->bodies[i])))
        {
            RBL_TRY(rbl_scene_shape(simulation->scene, body->shape, &shape, &surface));
            RBL_TRY(count_triangles(surface, sum));
        }
    }
    return RBL_OK;
}

static rblResult count_fragment(rblWorldId world, rblBodyId id, double* sum)
{
    rblBodyState state;
    rblShapeView view;
    rblMeshId surface;
    RBL_TRY(rbl_body_state(world, id, &state));
    if (state.generation == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_shape_view(state.shape, &view));
    RBL_TRY(rbl_shape_surface(&view, &surface));
    return count_triangles(surface, sum);
}

static rblResult count_fragments(rblWorldId world, double* sum)
{
    uint32_t count = 0;
    RBL_TRY(rbl_world_bodies(world, NULL, 0, &count));
    rblBodyId* ids = malloc(sizeof *ids * (count + 1));
    rblResult result = ids != NULL ? rbl_world_bodies(world, ids, count, &count) : rbl_fail_memory();
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        result = count_fragment(world, ids[i], sum);
    }
    free(ids);
    return result;
}

// ---- steps ----

static rblResult note_step(rblWorldId world, uint32_t* breaks, rblTetsBenchStep* out)
{
    rblProfile profile;
    rblCounters counters;
    RBL_TRY(rbl_world_profile(world, &profile));
    RBL_TRY(rbl_world_counters(world, &counters));
    const double collision = (double)(profile.broad + profile.narrow);
    *out = (rblTetsBenchStep){.total = (double)profile.total,
                              .collision = collision,
                              .physics = (double)profile.total - collision - (double)profile.fracture,
                              .update = (double)profile.fields,
                              .fracture = (double)(profile.fracture - profile.fields),
                              .contacts = counters.contacts,
                              .colliding = counters.colliding,
                              .fragments = counters.fragments,
                              .breaks = counters.breaks - *breaks};
    *breaks = counters.breaks;
    return RBL_OK;
}

static rblResult run_steps(rblSimulation* simulation, uint32_t max_steps, rblTetsBenchRun* run)
{
    uint32_t breaks = 0;
    while (!rbl_simulation_done(simulation) && simulation->step < max_steps)
    {
        RBL_TRY(rbl_simulation_advance(simulation));
        RBL_TRY(note_step(simulation->world, &breaks, &run->steps[run->count]));
        run->fragments = run->steps[run->count++].fragments;
    }
    RBL_TRY(count_whole(simulation, true, &run->triangles_before));
    RBL_TRY(count_whole(simulation, false, &run->triangles_after));
    return count_fragments(simulation->world, &run->triangles_after);
}

static rblResult play(rblSimulation* simulation, rblSceneId scene, uint32_t max_steps,
                      rblTetsBenchSizesFcn* sizes, void* context, rblTetsBenchRun* run)
{
    RBL_TRY(rbl_simulation_start(simulation, scene, false));
    RBL_TRY(sizes != NULL ? sizes(context, simulation) : RBL_OK);
    run->steps = malloc(sizeof *run->steps * (simulation->view.step_count + 1));
    return run->steps != NULL ? run_steps(simulation, max_steps, run) : rbl_fail_memory();
}

rblResult rbl_tets_bench_play(rblSceneId scene, uint32_t max_steps, rblTetsBenchSizesFcn* sizes,
                              void* context, rblTetsBenchRun* out)
{
    rblSimulation simulation = {.allocator = NULL};
    rblTetsBenchRun run = {.steps = NULL};
    const rblResult result = play(&simulation, scene, max_steps, sizes, context, &run);
    rbl_simulation_free(&simulation);
    if (result != RBL_OK)
    {
        rbl_tets_bench_run_free(&run);
        return result;
    }
    *out = run;
    return RBL_OK;
}
