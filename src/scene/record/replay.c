#include "scene/record/replay.h"

#include "base/error.h"
#include "scene/read/scene.h"

static void compare(rblReplay* replay)
{
    const rblSimulation* simulation = &replay->simulation;
    const uint64_t found = simulation->run.statistics.hash;
    const bool same = found == replay->run->statistics.steps.data[simulation->step].hash;
    if (!same && replay->first_difference == RBL_NONE)
    {
        replay->first_difference = simulation->step;
        replay->found = found;
    }
}

// The scene must be that of the recording: its shapes come first, then those of fragments.
static rblResult adopt_surfaces(rblSceneId scene, const rblRun* run)
{
    rblSceneView view;
    RBL_TRY(rbl_scene_view(scene, &view));
    if (view.shape_count > run->shapes.count)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: the scene has %u shapes, its recording %zu", view.name,
                        view.shape_count, run->shapes.count);
    }
    for (uint32_t i = 0; i < view.shape_count; ++i)
    {
        RBL_TRY(rbl_scene_adopt_surface(scene, i, run->shapes.data[i].surface));
    }
    return RBL_OK;
}

rblResult rbl_replay_start(rblReplay* replay, const rblRun* run, bool keeps_motion)
{
    *replay = (rblReplay){.run = run, .first_difference = RBL_NONE};
    RBL_TRY(rbl_scene_load_memory(run->settings.text, run->settings.text_size, run->settings.name,
                                  &replay->scene));
    RBL_TRY(adopt_surfaces(replay->scene, run));
    RBL_TRY(rbl_simulation_start(&replay->simulation, replay->scene, keeps_motion));
    compare(replay);
    return RBL_OK;
}

rblResult rbl_replay_advance(rblReplay* replay)
{
    RBL_TRY(rbl_simulation_advance(&replay->simulation));
    compare(replay);
    return RBL_OK;
}

void rbl_replay_free(rblReplay* replay)
{
    rbl_simulation_free(&replay->simulation);
    if (replay->scene.index1 != 0)
    {
        rbl_scene_destroy(replay->scene);
    }
    *replay = (rblReplay){0};
}
