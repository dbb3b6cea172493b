// The public calls of rubble/run.h that read runs.
#include "base/error.h"
#include "scene/run/run_registry.h"

static rblResult fail_out(void)
{
    return rbl_fail(RBL_ERROR_ARGUMENT, "run: out must not be null");
}

// Find a run, and check that `out` is not null.
static rblResult open(rblRunId id, const void* out, rblRunItem** item)
{
    RBL_TRY(rbl_run_find(id, item));
    return out != NULL ? RBL_OK : fail_out();
}

rblResult rbl_run_find_motion(rblRunId id, rblRunItem** out)
{
    RBL_TRY(rbl_run_find(id, out));
    if (!(*out)->def.keeps_motion)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "run: the motion was not kept; rblRunDef.keeps_motion without resume keeps it");
    }
    return (*out)->scene.index1 != 0 ? rbl_run_end_tracks((*out)->run) : RBL_OK;
}

rblResult rbl_run_view(rblRunId id, rblRunView* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    const rblRun* run = item->run;
    const bool simulated = item->scene.index1 != 0;
    *out = (rblRunView){.settings = run->settings,
                        .simulated = simulated,
                        .complete = run->complete,
                        .step = simulated ? item->simulation.step : rbl_run_last_step(run),
                        .hash = item->last.hash,
                        .shape_count = (uint32_t)run->shapes.count,
                        .shapes = run->shapes.data,
                        .material_count = (uint32_t)run->materials.count,
                        .materials = run->materials.data,
                        .body_count = (uint32_t)run->bodies.count,
                        .piece_count = (uint32_t)item->simulation.pieces.count,
                        .contact_count = run->contacts.count,
                        .contacts = run->contacts.data,
                        .record_count = run->statistics.steps.count,
                        .records = run->statistics.steps.data,
                        .event_count = run->statistics.events.count,
                        .events = run->statistics.events.data};
    return RBL_OK;
}

static rblResult check_body(const rblRun* run, uint32_t body)
{
    return body < run->bodies.count
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "run: body is %u, must be below %zu", body, run->bodies.count);
}

rblResult rbl_run_body(rblRunId id, uint32_t body, rblRunBodyView* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    RBL_TRY(check_body(item->run, body));
    const rblRunBody* b = &item->run->bodies.data[body];
    *out = (rblRunBodyView){.name = b->name,
                            .shape = b->shape,
                            .material = b->material,
                            .parent = b->parent,
                            .type = b->type,
                            .mass = b->mass,
                            .birth = b->birth,
                            .death = b->death,
                            .key_count = (uint32_t)b->keys.count,
                            .keys = b->keys.data};
    return RBL_OK;
}

rblResult rbl_run_body_state(rblRunId id, uint32_t body, uint32_t step, rblRunKey* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    RBL_TRY(check_body(item->run, body));
    if (step > rbl_run_last_step(item->run) || !rbl_run_state(item->run, body, step, out))
    {
        *out = (rblRunKey){.step = RBL_NONE, .pose.q.w = 1.0f};
    }
    return RBL_OK;
}

rblResult rbl_run_surface(rblRunId id, uint32_t shape, rblMeshId* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    return shape < item->run->shapes.count
               ? rbl_run_drawn_surface(item->run, shape, out)
               : rbl_fail(RBL_ERROR_ARGUMENT, "run: shape is %u, must be below %zu", shape,
                          item->run->shapes.count);
}

rblResult rbl_run_last_record(rblRunId id, rblStepRecord* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    *out = item->last;
    return RBL_OK;
}

rblResult rbl_run_summary(rblRunId id, rblRunSummary* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    *out = rbl_statistics_summary(&item->run->statistics);
    return RBL_OK;
}

rblResult rbl_run_save_statistics(rblRunId id, const char* path)
{
    rblRunItem* item = NULL;
    RBL_TRY(rbl_run_find(id, &item));
    return path != NULL ? rbl_statistics_write(&item->run->statistics, item->run->settings.name, path)
                        : rbl_fail(RBL_ERROR_ARGUMENT, "run: the path of the statistics must not be null");
}

// ---- bodies of the world ----

static rblRunMember member_of_piece(const rblRunPiece* piece)
{
    return (rblRunMember){.id = piece->id,
                          .name = piece->name,
                          .scene_body = piece->body,
                          .material = piece->material,
                          .piece = true};
}

rblResult rbl_run_member(rblRunId id, rblBodyId body, rblRunMember* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    const rblSimulation* simulation = &item->simulation;
    const rblRunPiece* piece = rbl_simulation_piece_of(simulation, body);
    const uint32_t scene_body = piece == NULL ? rbl_simulation_scene_body_of(simulation, body) : RBL_NONE;
    *out = (rblRunMember){.name = "", .scene_body = RBL_NONE, .material = RBL_NONE};
    if (piece != NULL)
    {
        *out = member_of_piece(piece);
    }
    else if (scene_body != RBL_NONE)
    {
        *out = (rblRunMember){.id = body,
                              .name = simulation->view.bodies[scene_body].name,
                              .scene_body = scene_body,
                              .material = simulation->view.bodies[scene_body].material};
    }
    return RBL_OK;
}

rblResult rbl_run_piece(rblRunId id, uint32_t piece, rblRunMember* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(open(id, out, &item));
    if (piece >= item->simulation.pieces.count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: piece is %u, must be below %zu", piece,
                        item->simulation.pieces.count);
    }
    *out = member_of_piece(&item->simulation.pieces.data[piece]);
    return RBL_OK;
}
