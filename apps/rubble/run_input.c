#include "run_input.h"
#include "base/error.h"
#include "options.h"
#include "progress.h"
#include "scene/record/recording.h"

bool run_input_is_recording(const char* path)
{
    static const char* const endings[] = {"rbl", "part", NULL};
    return options_has_ending(path, endings);
}

static rblResult open_recording(RunInput* input, const char* path)
{
    rblRecordingReport report;
    progress_stage("reading", -1.0);
    RBL_TRY(rbl_recording_load(path, &input->recording, &report));
    if (report.problem[0] != '\0')
    {
        char line[sizeof report.problem + 4096 + 64];
        snprintf(line, sizeof line, "rubble: warning: %s: %s; the %u steps before it are used", path,
                 report.problem, rbl_run_last_step(&input->recording));
        progress_print(line);
    }
    return RBL_OK;
}

rblResult run_input_open(RunInput* input, const char* path)
{
    *input = (RunInput){0};
    if (run_input_is_recording(path))
    {
        return open_recording(input, path);
    }
    progress_stage("preparing", -1.0);
    return rbl_scene_load(path, &input->scene);
}

double run_input_end(const RunInput* input)
{
    rblSceneView view;
    if (input->scene.index1 == 0)
    {
        return (double)rbl_run_last_step(&input->recording) * input->recording.settings.step;
    }
    return rbl_scene_view(input->scene, &view) == RBL_OK ? (double)view.step_count * view.step : 0.0;
}

rblResult run_input_run(RunInput* input)
{
    rblSimulation* simulation = &input->simulation;
    if (input->scene.index1 == 0)
    {
        input->run = &input->recording;
        return RBL_OK;
    }
    RBL_TRY(rbl_simulation_start(simulation, input->scene, true));
    while (!rbl_simulation_done(simulation))
    {
        progress_stage("stepping", (double)simulation->step / simulation->view.step_count);
        RBL_TRY(rbl_simulation_advance(simulation));
    }
    input->run = &simulation->run;
    return rbl_simulation_finish(simulation);
}

void run_input_close(RunInput* input)
{
    rbl_run_free(&input->recording);
    rbl_simulation_free(&input->simulation);
    if (input->scene.index1 != 0)
    {
        rbl_scene_destroy(input->scene);
    }
}
