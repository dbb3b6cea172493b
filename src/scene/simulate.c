#include "scene/simulate.h"

#include "base/error.h"
#include "math/vec.h"

static double time_now(const rblSimulation* simulation)
{
    return (double)simulation->step * simulation->view.step;
}

static rblResult record(rblSimulation* simulation)
{
    RBL_TRY(rbl_statistics_record(&simulation->statistics, simulation->world, time_now(simulation)));
    return simulation->animated ? rbl_animation_record(&simulation->animation, simulation->world,
                                                       simulation->bodies, simulation->step)
                                : RBL_OK;
}

rblResult rbl_simulation_start(rblSimulation* simulation, rblSceneId scene, bool animated)
{
    const rblAllocator* allocator = rbl_default_allocator();
    *simulation = (rblSimulation){.scene = scene, .allocator = allocator};
    rbl_statistics_init(&simulation->statistics, allocator);
    RBL_TRY(rbl_scene_view(scene, &simulation->view));
    const uint32_t count = simulation->view.body_count;
    simulation->bodies = RBL_NEW_ARRAY(allocator, rblBodyId, count);
    if (simulation->bodies == NULL && count > 0)
    {
        return rbl_fail_memory();
    }
    if (animated)
    {
        RBL_TRY(rbl_animation_init(&simulation->animation, count, allocator));
        simulation->animated = true;
    }
    rblWorldDef def;
    RBL_TRY(rbl_scene_prepare(scene));
    RBL_TRY(rbl_scene_world_def(scene, &def));
    RBL_TRY(rbl_world_create(&def, &simulation->world));
    RBL_TRY(rbl_scene_build(scene, simulation->world, simulation->bodies));
    // A step of no time: what is there now is the start, and what events bring is work.
    RBL_TRY(rbl_world_step(simulation->world, 0.0f));
    return record(simulation);
}

void rbl_simulation_free(rblSimulation* simulation)
{
    if (simulation->world.index1 != 0)
    {
        rbl_world_destroy(simulation->world);
    }
    if (simulation->animated)
    {
        rbl_animation_free(&simulation->animation);
    }
    rbl_statistics_free(&simulation->statistics);
    RBL_FREE_ARRAY(simulation->allocator, simulation->bodies, simulation->view.body_count);
    *simulation = (rblSimulation){0};
}

static rblResult note(rblSimulation* simulation, const char* type, const char* body, double impulse)
{
    const rblEventRecord event = {
        .time = time_now(simulation), .type = type, .body = body, .impulse = impulse};
    return rbl_array_push(&simulation->statistics.events, event) ? RBL_OK : rbl_fail_memory();
}

static rblResult note_event(rblSimulation* simulation, const rblSceneEvent* event)
{
    const char* type = rbl_scene_event_name(event->kind);
    const rblSceneBody* bodies = simulation->view.bodies;
    if (event->kind == RBL_EVENT_SPAWN)
    {
        for (uint32_t i = 0; i < event->count; ++i)
        {
            RBL_TRY(note(simulation, type, bodies[event->body + i].name, 0.0));
        }
        return RBL_OK;
    }
    if (event->kind == RBL_EVENT_EXPLODE)
    {
        return note(simulation, type, "", (double)event->strength);
    }
    const double impulse = event->kind == RBL_EVENT_IMPULSE ? (double)rbl_length3(event->velocity) : 0.0;
    return note(simulation, type, bodies[event->body].name, impulse);
}

static rblResult run_events(rblSimulation* simulation)
{
    const rblSceneView* view = &simulation->view;
    while (simulation->next_event < view->event_count &&
           view->events[simulation->next_event].step <= simulation->step)
    {
        const uint32_t event = simulation->next_event++;
        RBL_TRY(rbl_scene_apply(simulation->scene, simulation->world, event, simulation->bodies));
        RBL_TRY(note_event(simulation, &view->events[event]));
    }
    return RBL_OK;
}

static const char* name_of(const rblSimulation* simulation, rblBodyId body)
{
    for (uint32_t i = 0; i < simulation->view.body_count; ++i)
    {
        if (simulation->bodies[i].index1 == body.index1 &&
            simulation->bodies[i].generation == body.generation)
        {
            return simulation->view.bodies[i].name;
        }
    }
    return "";
}

static rblResult note_broken_joints(rblSimulation* simulation)
{
    const rblJointEvent* events = NULL;
    uint32_t count = 0;
    RBL_TRY(rbl_world_joint_events(simulation->world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(note(simulation, "jointBreak", name_of(simulation, events[i].a),
                     (double)events[i].force * simulation->view.step));
    }
    return RBL_OK;
}

rblResult rbl_simulation_advance(rblSimulation* simulation)
{
    RBL_TRY(run_events(simulation));
    RBL_TRY(rbl_world_step(simulation->world, (float)simulation->view.step));
    simulation->step += 1;
    RBL_TRY(note_broken_joints(simulation));
    return record(simulation);
}
