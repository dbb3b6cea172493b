// The public calls of rubble/run.h that create and advance runs.
#include "base/def.h"
#include "base/progress.h"
#include "base/registry.h"
#include "rubble/version.h"
#include "scene/read/scene.h"
#include "scene/record/checkpoint.h"
#include "scene/record/recording.h"
#include "scene/record/replay.h"
#include "scene/run/run_registry.h"
#include <stdio.h>
#include <string.h>

RBL_DEF_KIND(run_def, rblRunDef, "run", rbl_default_run_def, 0x52554E44u);

void rbl_run_def_init(rblRunDef* def, size_t size)
{
    const rblRunDef defaults = {.keeps_motion = true, .keeps_contacts = true};
    rbl_def_init(&run_def, &defaults, def, size);
}

// ---- ids ----

static rblRegistry registry = RBL_REGISTRY_INIT;

static rblResult fail_stale(rblRunId id)
{
    return rbl_fail(RBL_ERROR_STALE, "run: the id %u/%u is null or was destroyed", id.index1, id.generation);
}

static rblResult find_item(rblRunId id, uint32_t references, rblRunItem** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblRunItem* item = rbl_registry_find(&registry, id.index1, id.generation);
    if (item != NULL)
    {
        item->references += references;
    }
    rbl_mutex_unlock(&registry.mutex);
    *out = item;
    return item != NULL ? RBL_OK : fail_stale(id);
}

rblResult rbl_run_find(rblRunId id, rblRunItem** out)
{
    return find_item(id, 0, out);
}

rblResult rbl_run_acquire(rblRunId id, rblRunItem** out)
{
    return find_item(id, 1, out);
}

void rbl_run_release(rblRunItem* item)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t left = --item->references;
    rbl_mutex_unlock(&registry.mutex);
    if (left > 0)
    {
        return;
    }
    rbl_simulation_free(&item->simulation);
    rbl_run_free(&item->recording);
    if (item->scene.index1 != 0)
    {
        (void)rbl_scene_destroy(item->scene);
    }
    rbl_free(rbl_default_allocator(), item, sizeof *item);
}

static rblRunItem* make_item(void)
{
    rblRunItem* item = rbl_alloc_zero(rbl_default_allocator(), sizeof *item);
    if (item != NULL)
    {
        item->references = 1;
    }
    return item;
}

// Give a run its id, or free it after a failure.
static rblResult publish(rblRunItem* item, rblResult result, rblRunId* out)
{
    if (result == RBL_OK)
    {
        rbl_mutex_lock(&registry.mutex);
        const bool added = rbl_registry_add(&registry, item, &out->index1, &out->generation);
        rbl_mutex_unlock(&registry.mutex);
        result = added ? RBL_OK : rbl_fail_memory();
    }
    if (result != RBL_OK)
    {
        rbl_run_release(item);
    }
    return result;
}

uint32_t rbl_run_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}

rblResult rbl_run_destroy(rblRunId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblRunItem* item = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (item == NULL)
    {
        return fail_stale(id);
    }
    rbl_run_release(item);
    return RBL_OK;
}

// ---- simulations ----

static rblResult check_def(const rblRunDef* def)
{
    if (def->motion_limit > 0 && def->recording != NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "run: motion_limit is %zu, must be 0 while a recording is written",
                        (size_t)def->motion_limit);
    }
    return RBL_OK;
}

static rblResult start(rblRunItem* item, rblSceneId scene)
{
    rblSimulation* simulation = &item->simulation;
    RBL_TRY(rbl_scene_share(scene, &item->scene));
    item->run = &simulation->run;
    RBL_TRY(item->def.resume != NULL ? rbl_checkpoint_resume(simulation, item->scene, item->def.resume)
                                     : rbl_simulation_start(simulation, item->scene, item->def.keeps_motion));
    if (item->def.recording != NULL)
    {
        RBL_TRY(rbl_simulation_record(simulation, item->def.recording, item->def.quantise));
    }
    item->last = simulation->run.statistics.steps.data[simulation->run.statistics.steps.count - 1];
    item->def.keeps_motion = simulation->keeps_motion;
    item->def.recording = NULL; // texts of the caller
    item->def.resume = NULL;
    return RBL_OK;
}

rblResult rbl_run_create(rblSceneId scene, const rblRunDef* def, rblRunId* out)
{
    rblRunDef chosen = rbl_default_run_def();
    RBL_TRY(def != NULL ? rbl_def_read(&run_def, def, &chosen) : RBL_OK);
    RBL_TRY(check_def(&chosen));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: out must not be null");
    }
    rblRunItem* item = make_item();
    if (item == NULL)
    {
        return rbl_fail_memory();
    }
    item->def = chosen;
    return publish(item, start(item, scene), out);
}

static rblResult find_simulation(rblRunId id, rblRunItem** out)
{
    RBL_TRY(rbl_run_find(id, out));
    return (*out)->scene.index1 != 0
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "run: the run is a recording; only simulations have a world");
}

// Size of the record of a step, in keys. A run in which all bodies sleep would otherwise grow without limit.
#define STEP_KEYS 4u

static void limit_motion(rblRunItem* item)
{
    rblSimulation* simulation = &item->simulation;
    rblStatistics* statistics = &simulation->run.statistics;
    if (!item->def.keeps_contacts)
    {
        simulation->run.contacts.count = 0;
    }
    if (item->motion_ended)
    {
        statistics->steps.count = item->kept_records;
        return;
    }
    item->kept_keys += simulation->tracker.frame.changes.count + STEP_KEYS;
    if (item->def.motion_limit > 0 && item->kept_keys > item->def.motion_limit)
    {
        item->motion_ended = true;
        item->kept_records = statistics->steps.count;
        simulation->keeps_motion = false;
    }
}

static rblResult step(rblRunItem* item)
{
    if (item->finished)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: the run is finished and cannot be stepped");
    }
    RBL_TRY(rbl_simulation_advance(&item->simulation));
    const rblStatistics* statistics = &item->simulation.run.statistics;
    item->last = statistics->steps.data[statistics->steps.count - 1];
    limit_motion(item);
    return RBL_OK;
}

rblResult rbl_run_step(rblRunId id)
{
    rblRunItem* item = NULL;
    RBL_TRY(find_simulation(id, &item));
    return step(item);
}

static rblResult finish(rblRunItem* item)
{
    if (item->finished)
    {
        return RBL_OK;
    }
    item->finished = true;
    return rbl_simulation_finish(&item->simulation);
}

rblResult rbl_run_finish(rblRunId id)
{
    rblRunItem* item = NULL;
    RBL_TRY(find_simulation(id, &item));
    return finish(item);
}

rblResult rbl_run_to_end(rblRunId id, const rblProgress* progress)
{
    rblRunItem* item = NULL;
    RBL_TRY(find_simulation(id, &item));
    const rblSimulation* simulation = &item->simulation;
    while (!rbl_simulation_done(simulation))
    {
        RBL_TRY(rbl_progress_report(progress, (double)simulation->step / simulation->view.step_count));
        RBL_TRY(step(item));
    }
    return finish(item);
}

rblResult rbl_run_save_checkpoint(rblRunId id, const char* path)
{
    rblRunItem* item = NULL;
    RBL_TRY(find_simulation(id, &item));
    return path != NULL ? rbl_checkpoint_save(&item->simulation, path)
                        : rbl_fail(RBL_ERROR_ARGUMENT, "run: the path of a checkpoint must not be null");
}

rblResult rbl_run_world(rblRunId id, rblWorldId* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(find_simulation(id, &item));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: out must not be null");
    }
    *out = item->simulation.world;
    return RBL_OK;
}

rblResult rbl_run_add_body(rblRunId id, rblBodyId body, const char* name, const rblSceneMaterial* material)
{
    rblRunItem* item = NULL;
    uint32_t taken = 0;
    RBL_TRY(find_simulation(id, &item));
    rblSimulation* simulation = &item->simulation;
    if (name == NULL || name[0] == '\0' || material == NULL || material->name == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "run: the added body must have a name and a material with a name");
    }
    if (!rbl_body_is_valid(simulation->world, body))
    {
        return rbl_fail(RBL_ERROR_STALE, "run: the added body must be in the world of the run");
    }
    if (rbl_simulation_name_of(simulation, body)[0] != '\0')
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: the body is in the run already, as '%.100s'",
                        rbl_simulation_name_of(simulation, body));
    }
    if (rbl_scene_find_body(item->scene, name, &taken) == RBL_OK ||
        rbl_simulation_find_piece(simulation, name).index1 != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: the name '%.100s' must be unique", name);
    }
    return rbl_simulation_add_body(simulation, body, name, material);
}

// ---- recordings ----

static rblResult load(const char* path, const void* bytes, size_t size, rblRunId* out,
                      rblRecordingReport* report)
{
    if (path == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: the name of the recording and out must not be null");
    }
    rblRunItem* item = make_item();
    if (item == NULL)
    {
        return rbl_fail_memory();
    }
    rblRecordingReport found = {.size = 0};
    const rblResult result = bytes == NULL
                                 ? rbl_recording_load(path, &item->recording, &found)
                                 : rbl_recording_load_memory(bytes, size, path, &item->recording, &found);
    if (result == RBL_OK)
    {
        const rblStatistics* statistics = &item->recording.statistics;
        item->run = &item->recording;
        item->finished = true;
        item->def = rbl_default_run_def();
        if (statistics->steps.count > 0)
        {
            item->last = statistics->steps.data[statistics->steps.count - 1];
        }
        if (report != NULL)
        {
            *report = found;
        }
    }
    return publish(item, result, out);
}

rblResult rbl_run_load(const char* path, rblRunId* out, rblRecordingReport* report)
{
    return load(path, NULL, 0, out, report);
}

rblResult rbl_run_load_memory(const void* bytes, size_t size, const char* name, rblRunId* out,
                              rblRecordingReport* report)
{
    return bytes != NULL ? load(name, bytes, size, out, report)
                         : rbl_fail(RBL_ERROR_ARGUMENT, "run: the bytes of the recording must not be null");
}

rblRecordingKind rbl_recording_kind(const char* path)
{
    uint8_t start[64];
    FILE* file = path != NULL ? fopen(path, "rb") : NULL;
    const size_t got = file != NULL ? fread(start, 1, sizeof start, file) : 0;
    if (file != NULL)
    {
        fclose(file);
    }
    return rbl_recording_kind_of(start, got);
}

static rblResult replay_steps(rblReplay* replay, const rblProgress* progress)
{
    const uint32_t last = rbl_run_last_step(replay->run);
    while (!rbl_replay_done(replay))
    {
        RBL_TRY(rbl_progress_report(progress, (double)replay->simulation.step / last));
        RBL_TRY(rbl_replay_advance(replay));
    }
    return RBL_OK;
}

// What a difference comes from.
static void explain(const rblRun* run, char* out, size_t size)
{
    out[0] = '\0';
    if (run->recording != 0)
    {
        rbl_describe_physics(run->recording, run->physics, out, size);
    }
    if (out[0] == '\0' && strcmp(run->settings.version, rbl_version()) != 0)
    {
        snprintf(out, size, "the recording is of Rubble %.32s", run->settings.version);
    }
}

static rblRunReplay outcome_of(const rblReplay* replay)
{
    const bool same = replay->first_difference == RBL_NONE;
    const rblStepRecord* records = replay->run->statistics.steps.data;
    rblRunReplay outcome = {.steps = replay->simulation.step,
                            .same = same,
                            .first_difference = replay->first_difference,
                            .expected = same ? 0 : records[replay->first_difference].hash,
                            .found = same ? 0 : replay->found,
                            .hash = replay->simulation.run.statistics.hash};
    if (!same)
    {
        explain(replay->run, outcome.problem, sizeof outcome.problem);
    }
    return outcome;
}

rblResult rbl_run_replay(rblRunId id, const rblProgress* progress, rblRunReplay* out)
{
    rblRunItem* item = NULL;
    RBL_TRY(rbl_run_find(id, &item));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: out must not be null");
    }
    if (item->run->statistics.steps.count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "run: a run without a start cannot be replayed");
    }
    rblReplay replay = {.run = NULL};
    rblResult result = rbl_replay_start(&replay, item->run, false);
    result = result == RBL_OK ? replay_steps(&replay, progress) : result;
    if (result == RBL_OK)
    {
        *out = outcome_of(&replay);
    }
    rbl_replay_free(&replay);
    return result;
}
