#include "run_input.h"
#include "options.h"
#include "progress.h"
#include "tool.h"
#include <stdio.h>

bool run_input_is_recording(const char* path)
{
    static const char* const endings[] = {"rbl", "part", NULL};
    return options_has_ending(path, endings);
}

static rblResult open_recording(RunInput* input, const char* path)
{
    rblRecordingReport report;
    rblRunView view;
    progress_stage("reading", -1.0);
    RBL_TRY(rbl_run_load(path, &input->run, &report));
    RBL_TRY(rbl_run_view(input->run, &view));
    input->end = view.step * view.settings.step;
    if (report.problem[0] != '\0')
    {
        char line[sizeof report.problem + 4096 + 64];
        snprintf(line, sizeof line, "rubble: warning: %s: %s; the %u steps before it are used", path,
                 report.problem, view.step);
        progress_print(line);
    }
    return RBL_OK;
}

rblResult run_input_open(RunInput* input, const char* path)
{
    rblSceneView view;
    *input = (RunInput){0};
    if (run_input_is_recording(path))
    {
        return open_recording(input, path);
    }
    progress_stage("preparing", -1.0);
    RBL_TRY(rbl_scene_load(path, &input->scene));
    RBL_TRY(rbl_scene_view(input->scene, &view));
    input->end = (double)view.step_count * view.step;
    return RBL_OK;
}

rblResult run_input_run(RunInput* input)
{
    if (input->scene.index1 == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_run_create(input->scene, NULL, &input->run));
    return rbl_run_to_end(input->run, &tool_stepping);
}

void run_input_close(RunInput* input)
{
    if (input->run.index1 != 0)
    {
        rbl_run_destroy(input->run);
    }
    if (input->scene.index1 != 0)
    {
        rbl_scene_destroy(input->scene);
    }
}
