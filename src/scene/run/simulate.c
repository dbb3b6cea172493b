#include "scene/run/simulate.h"

#include "base/error.h"
#include "math/vec.h"
#include "scene/read/scene.h"
#include <string.h>

static double time_now(const rblSimulation* simulation)
{
    return (double)simulation->step * simulation->view.step;
}

// ---- tracked bodies ----

static rblResult add_body(rblSimulation* simulation, uint32_t index)
{
    const rblSceneBody* body = &simulation->view.bodies[index];
    rblBodyState state;
    RBL_TRY(rbl_body_state(simulation->world, simulation->bodies[index], &state));
    const rblRunBody added = {.name = body->name,
                              .shape = body->shape,
                              .material = body->material,
                              .parent = RBL_NONE,
                              .type = body->type,
                              .mass = state.mass,
                              .birth = simulation->step,
                              .death = RBL_NONE};
    simulation->run_body[index] = (uint32_t)simulation->run.bodies.count;
    RBL_TRY(rbl_run_push_body(&simulation->run, &added));
    return rbl_tracker_watch(&simulation->tracker, simulation->bodies[index]);
}

static rblResult add_new_bodies(rblSimulation* simulation)
{
    for (uint32_t i = 0; i < simulation->view.body_count; ++i)
    {
        if (simulation->bodies[i].index1 != 0 && simulation->run_body[i] == RBL_NONE)
        {
            RBL_TRY(add_body(simulation, i));
        }
    }
    return rbl_simulation_add_pieces(simulation);
}

static rblResult gather(rblSimulation* simulation, bool full)
{
    return simulation->records
               ? rbl_recording_gather(&simulation->recording, &simulation->tracker, simulation->world,
                                      simulation->step, full)
               : rbl_tracker_gather(&simulation->tracker, simulation->world, simulation->step, full);
}

static rblResult track(rblSimulation* simulation)
{
    rblRun* run = &simulation->run;
    rblFrame* frame = &simulation->tracker.frame;
    frame->first_body = (uint32_t)run->bodies.count;
    RBL_TRY(add_new_bodies(simulation));
    RBL_TRY(gather(simulation, simulation->starts_anew));
    simulation->starts_anew = false;
    if (simulation->keeps_motion)
    {
        RBL_TRY(rbl_run_add_frame(run, frame));
    }
    if (simulation->records)
    {
        RBL_TRY(rbl_recording_add(&simulation->recording, run, frame));
    }
    frame->first_event = run->statistics.events.count;
    return RBL_OK;
}

static rblResult record(rblSimulation* simulation)
{
    RBL_TRY(rbl_statistics_record(&simulation->run.statistics, simulation->world, time_now(simulation)));
    return simulation->keeps_motion || simulation->records ? track(simulation) : RBL_OK;
}

// ---- creation ----

static rblResult make_tables(rblSimulation* simulation)
{
    const uint32_t count = simulation->view.body_count;
    simulation->bodies = RBL_NEW_ARRAY(simulation->allocator, rblBodyId, count);
    simulation->run_body = RBL_NEW_ARRAY(simulation->allocator, uint32_t, count);
    if ((simulation->bodies == NULL || simulation->run_body == NULL) && count > 0)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        simulation->bodies[i] = (rblBodyId){0};
        simulation->run_body[i] = RBL_NONE;
    }
    return RBL_OK;
}

rblResult rbl_simulation_init(rblSimulation* simulation, rblSceneId scene, bool keeps_motion)
{
    const rblAllocator* allocator = rbl_default_allocator();
    *simulation = (rblSimulation){.scene = scene, .allocator = allocator, .keeps_motion = keeps_motion};
    rbl_run_init(&simulation->run, allocator);
    rbl_tracker_init(&simulation->tracker, allocator);
    rbl_array_init(&simulation->pieces, allocator);
    rbl_array_init(&simulation->piece_of_slot, allocator);
    rbl_array_init(&simulation->shapes, allocator);
    RBL_TRY(rbl_scene_view(scene, &simulation->view));
    return make_tables(simulation);
}

rblResult rbl_simulation_make_world(rblSimulation* simulation)
{
    rblWorldDef def = rbl_default_world_def();
    RBL_TRY(rbl_scene_prepare(simulation->scene));
    RBL_TRY(rbl_run_begin(&simulation->run, simulation->scene));
    RBL_TRY(rbl_scene_world_def(simulation->scene, &def));
    return rbl_world_create(&def, &simulation->world);
}

rblResult rbl_simulation_start(rblSimulation* simulation, rblSceneId scene, bool keeps_motion)
{
    RBL_TRY(rbl_simulation_init(simulation, scene, keeps_motion));
    RBL_TRY(rbl_simulation_make_world(simulation));
    RBL_TRY(rbl_scene_build(scene, simulation->world, simulation->bodies));
    // A step of zero length: the current state is the start, and the energy of later events is work.
    RBL_TRY(rbl_world_step(simulation->world, 0.0f));
    return record(simulation);
}

void rbl_simulation_free(rblSimulation* simulation)
{
    if (simulation->allocator == NULL)
    {
        return;
    }
    if (simulation->world.index1 != 0)
    {
        rbl_world_destroy(simulation->world);
    }
    rbl_recording_abandon(&simulation->recording);
    rbl_run_free(&simulation->run);
    rbl_tracker_free(&simulation->tracker);
    rbl_array_free(&simulation->pieces);
    rbl_array_free(&simulation->piece_of_slot);
    for (size_t i = 0; i < simulation->shapes.count; ++i)
    {
        rbl_shape_destroy(simulation->shapes.data[i]);
    }
    rbl_array_free(&simulation->shapes);
    RBL_FREE_ARRAY(simulation->allocator, simulation->bodies, simulation->view.body_count);
    RBL_FREE_ARRAY(simulation->allocator, simulation->run_body, simulation->view.body_count);
    *simulation = (rblSimulation){0};
}

// Find a body of a continued recording in the world. Pieces are found by name.
static rblResult find_recorded_body(rblSimulation* simulation, uint32_t run_body, rblBodyId* out)
{
    const rblRunBody* known = &simulation->run.bodies.data[run_body];
    if (known->parent == RBL_NONE)
    {
        uint32_t body = RBL_NONE;
        RBL_TRY(rbl_scene_find_body(simulation->scene, known->name, &body));
        simulation->run_body[body] = run_body;
        *out = simulation->bodies[body];
        return RBL_OK;
    }
    *out = (rblBodyId){0};
    for (size_t i = 0; i < simulation->pieces.count; ++i)
    {
        rblRunPiece* piece = &simulation->pieces.data[i];
        if (strcmp(piece->name, known->name) == 0)
        {
            piece->run_body = run_body;
            *out = piece->id;
        }
    }
    return RBL_OK;
}

// Track the bodies in the order of the recording.
static rblResult watch_recorded_bodies(rblSimulation* simulation)
{
    const rblRunBodyArray* bodies = &simulation->run.bodies;
    for (uint32_t i = 0; i < bodies->count; ++i)
    {
        rblBodyId id;
        RBL_TRY(find_recorded_body(simulation, i, &id));
        const bool there = bodies->data[i].death == RBL_NONE;
        if (there && !rbl_body_is_valid(simulation->world, id))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "the recording has a body '%.100s' that the world does not have",
                            bodies->data[i].name);
        }
        RBL_TRY(there ? rbl_tracker_watch(&simulation->tracker, id) : rbl_tracker_skip(&simulation->tracker));
    }
    return RBL_OK;
}

static rblResult continue_recording(rblSimulation* simulation, const char* path)
{
    RBL_TRY(rbl_recording_reopen(&simulation->recording, path, &simulation->run));
    simulation->records = true;
    simulation->starts_anew = true;
    simulation->tracker.frame.first_event = simulation->run.statistics.events.count;
    return watch_recorded_bodies(simulation);
}

rblResult rbl_simulation_record(rblSimulation* simulation, const char* path, bool quantise)
{
    if (simulation->records || (simulation->step > 0 && simulation->run.bodies.count > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "simulation: a recording must be begun before the first step");
    }
    if (simulation->step > 0)
    {
        return continue_recording(simulation, path);
    }
    RBL_TRY(rbl_recording_open(&simulation->recording, path, &simulation->run, quantise));
    simulation->records = true;
    rblRun* run = &simulation->run;
    rblFrame* frame = &simulation->tracker.frame;
    RBL_TRY(add_new_bodies(simulation));
    frame->first_body = 0;
    RBL_TRY(gather(simulation, true));
    return rbl_recording_add(&simulation->recording, run, frame);
}

rblResult rbl_simulation_finish(rblSimulation* simulation)
{
    simulation->run.complete = true;
    if (simulation->records)
    {
        simulation->records = false;
        RBL_TRY(rbl_recording_close(&simulation->recording, &simulation->run));
    }
    return rbl_run_end_tracks(&simulation->run);
}

// ---- steps ----

static rblResult add_event(rblSimulation* simulation, const char* type, const char* body, double impulse)
{
    const rblEventRecord event = {
        .time = time_now(simulation), .type = type, .body = body, .impulse = impulse};
    return rbl_array_push(&simulation->run.statistics.events, event) ? RBL_OK : rbl_fail_memory();
}

static rblResult add_scene_event(rblSimulation* simulation, const rblSceneEvent* event)
{
    const char* type = rbl_scene_event_name(event->kind);
    const rblSceneBody* bodies = simulation->view.bodies;
    if (event->kind == RBL_EVENT_SPAWN)
    {
        for (uint32_t i = 0; i < event->count; ++i)
        {
            RBL_TRY(add_event(simulation, type, bodies[event->body + i].name, 0.0));
        }
        return RBL_OK;
    }
    if (event->kind == RBL_EVENT_BREAK)
    {
        return RBL_OK; // reported when it has broken
    }
    if (event->kind == RBL_EVENT_EXPLODE)
    {
        return add_event(simulation, type, "", (double)event->strength);
    }
    const double impulse = event->kind == RBL_EVENT_IMPULSE ? (double)rbl_length3(event->velocity) : 0.0;
    return add_event(simulation, type, event->piece != NULL ? event->piece : bodies[event->body].name,
                     impulse);
}

static rblResult apply_event(rblSimulation* simulation, uint32_t event)
{
    const char* piece = simulation->view.events[event].piece;
    return piece == NULL ? rbl_scene_apply(simulation->scene, simulation->world, event, simulation->bodies)
                         : rbl_scene_apply_to_piece(simulation->scene, simulation->world, event,
                                                    rbl_simulation_find_piece(simulation, piece));
}

static rblResult run_events(rblSimulation* simulation)
{
    const rblSceneView* view = &simulation->view;
    while (simulation->next_event < view->event_count &&
           view->events[simulation->next_event].step <= simulation->step)
    {
        const uint32_t event = simulation->next_event++;
        RBL_TRY(apply_event(simulation, event));
        RBL_TRY(add_scene_event(simulation, &view->events[event]));
    }
    return RBL_OK;
}

static rblResult add_joint_events(rblSimulation* simulation)
{
    const rblJointEvent* events = NULL;
    uint32_t count = 0;
    RBL_TRY(rbl_world_joint_events(simulation->world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(add_event(simulation, "jointBreak", rbl_simulation_name_of(simulation, events[i].a),
                          (double)events[i].force * simulation->view.step));
    }
    return RBL_OK;
}

static rblResult add_sensor_events(rblSimulation* simulation)
{
    const rblSensorEvent* events = NULL;
    uint32_t count = 0;
    RBL_TRY(rbl_world_sensor_events(simulation->world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        const char* type = events[i].begins ? "sensorBegin" : "sensorEnd";
        RBL_TRY(add_event(simulation, type, rbl_simulation_name_of(simulation, events[i].body), 0.0));
    }
    return RBL_OK;
}

// Debris that was removed at the end of its lifetime is reported as an event.
static rblResult add_vanish_event(rblSimulation* simulation, uint32_t before)
{
    rblCounters counters;
    RBL_TRY(rbl_world_counters(simulation->world, &counters));
    if (counters.vanished == before)
    {
        return RBL_OK;
    }
    const rblEventRecord event = {
        .time = time_now(simulation), .type = "vanish", .body = "", .pieces = counters.vanished - before};
    return rbl_array_push(&simulation->run.statistics.events, event) ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_simulation_advance(rblSimulation* simulation)
{
    rblCounters before;
    RBL_TRY(run_events(simulation));
    RBL_TRY(rbl_world_counters(simulation->world, &before));
    RBL_TRY(rbl_world_step(simulation->world, (float)simulation->view.step));
    simulation->step += 1;
    RBL_TRY(add_vanish_event(simulation, before.vanished));
    RBL_TRY(rbl_simulation_note_breaks(simulation));
    RBL_TRY(add_joint_events(simulation));
    RBL_TRY(add_sensor_events(simulation));
    return record(simulation);
}
